extension OpenAPI {
    /// The schemas of an app's settings: members of `components/schemas`.
    static let settingsSchemas = #"""
        "Policy": {
          "description": "When and how much devices download ahead of need.",
          "type": "object",
          "required": [
            "fileByteCountMax", "concurrentDownloadsMax", "syncIntervalSeconds", "isEnabled", "networks", "wifi",
            "cellular", "batteryPercentMin", "segments"
          ],
          "properties": {
            "fileByteCountMax": {"type": "integer", "description": "Larger items are left out."},
            "concurrentDownloadsMax": {"type": "integer"},
            "syncIntervalSeconds": {"type": "integer"},
            "isEnabled": {"type": "boolean", "description": "Whether the SDK is on at all."},
            "bytesPerSecondMax": {"type": "integer", "description": "Absent for no limit."},
            "networks": {"$ref": "#/components/schemas/NetworkSelection"},
            "wifi": {"$ref": "#/components/schemas/NetworkRules"},
            "cellular": {"$ref": "#/components/schemas/NetworkRules"},
            "batteryPercentMin": {
              "type": "integer",
              "description": "Least charge of a device that is not on external power; 0 for any."
            },
            "segments": {
              "type": "object",
              "description": "What is otherwise for single segments, by name.",
              "additionalProperties": {"$ref": "#/components/schemas/SegmentPolicy"}
            }
          }
        },
        "NetworkSelection": {
          "description": "The networks that downloads may use. Wired networks count as Wi-Fi, metered ones as cellular.",
          "type": "string",
          "enum": ["none", "wifiOnly", "wifiAndCellular", "cellularOnly"]
        },
        "NetworkRules": {
          "description": "When downloads may use a kind of network.",
          "type": "object",
          "required": ["isAllowedOnBattery", "hours"],
          "properties": {
            "isAllowedOnBattery": {"type": "boolean"},
            "dailyByteCountMax": {
              "type": "integer",
              "description": "Most bytes on the wire between two local midnights; absent for no limit."
            },
            "hours": {
              "type": "array",
              "items": {"$ref": "#/components/schemas/DayHours"},
              "description": "The times of the local day; empty for the whole day."
            },
            "qualityMin": {"type": "string", "enum": ["poor", "good", "excellent"], "description": "Absent for any."}
          }
        },
        "DayHours": {
          "description": "A span of the local day, over midnight when it ends before it starts.",
          "type": "object",
          "required": ["startMinute", "endMinute"],
          "properties": {
            "startMinute": {"type": "integer", "minimum": 0, "maximum": 1439, "description": "From midnight."},
            "endMinute": {"type": "integer", "minimum": 1, "maximum": 1440, "description": "Not within the span."}
          },
          "additionalProperties": false
        },
        "SegmentPolicy": {
          "description": "What is otherwise for a segment; what is absent is as for the app.",
          "type": "object",
          "properties": {
            "isForced": {
              "type": "boolean",
              "description": "Download whatever the network, the battery, the hour and the daily limits."
            },
            "networks": {"$ref": "#/components/schemas/NetworkSelection"},
            "wifi": {"$ref": "#/components/schemas/NetworkRules"},
            "cellular": {"$ref": "#/components/schemas/NetworkRules"},
            "batteryPercentMin": {"type": "integer"},
            "fileByteCountMax": {"type": "integer"}
          }
        }
        """#
}
