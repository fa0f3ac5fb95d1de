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
        },
        "QualityLimits": {
          "description": "What a class of quality asks for.",
          "type": "object",
          "required": ["roundTripMillisecondsMax", "kilobitsPerSecondMin"],
          "properties": {
            "roundTripMillisecondsMax": {"type": "integer", "description": "Request sent to head received, at most."},
            "kilobitsPerSecondMin": {"type": "integer", "description": "Throughput, at least."}
          }
        },
        "QualityClasses": {
          "description": "From where on a network is good, and excellent.",
          "type": "object",
          "required": ["good", "excellent"],
          "properties": {
            "good": {"$ref": "#/components/schemas/QualityLimits"},
            "excellent": {"$ref": "#/components/schemas/QualityLimits"}
          }
        },
        "QualityThresholds": {
          "description": "The classes of quality by the kind of network.",
          "type": "object",
          "required": ["wifi", "cellular"],
          "properties": {
            "wifi": {"$ref": "#/components/schemas/QualityClasses"},
            "cellular": {"$ref": "#/components/schemas/QualityClasses"}
          }
        },
        "PinRule": {
          "description": "The keys of which a host's server must show one.",
          "type": "object",
          "required": ["host", "includesSubdomains", "digests", "isReportOnly"],
          "properties": {
            "host": {"type": "string"},
            "includesSubdomains": {"type": "boolean"},
            "digests": {
              "type": "array",
              "items": {"type": "string"},
              "description": "SHA-256 of SubjectPublicKeyInfo in Base64."
            },
            "expiresAt": {"type": "string", "format": "date-time", "description": "Absent for never."},
            "isReportOnly": {"type": "boolean", "description": "Tell of a mismatch, and go on."}
          }
        },
        "PolicyChange": {
          "description": "What to change of a policy.",
          "type": ["object", "null"],
          "properties": {
            "fileByteCountMax": {"type": ["integer", "null"], "minimum": 1},
            "concurrentDownloadsMax": {"type": ["integer", "null"], "minimum": 1, "maximum": 64},
            "syncIntervalSeconds": {"type": ["integer", "null"], "minimum": 1, "maximum": 2592000},
            "bytesPerSecondMax": {"type": ["integer", "null"], "minimum": 1, "description": "null for no limit"},
            "isEnabled": {"type": ["boolean", "null"]},
            "networks": {"$ref": "#/components/schemas/NetworkSelectionChange"},
            "wifi": {"$ref": "#/components/schemas/NetworkRulesChange"},
            "cellular": {"$ref": "#/components/schemas/NetworkRulesChange"},
            "batteryPercentMin": {"type": ["integer", "null"], "minimum": 0, "maximum": 100},
            "segments": {
              "type": ["object", "null"],
              "description": "By name; null removes a segment's own rules.",
              "additionalProperties": {"$ref": "#/components/schemas/SegmentPolicyChange"}
            }
          },
          "additionalProperties": false
        },
        "NetworkSelectionChange": {
          "description": "The networks that downloads may use.",
          "type": ["string", "null"],
          "enum": ["none", "wifiOnly", "wifiAndCellular", "cellularOnly", null]
        },
        "NetworkRulesChange": {
          "description": "What to change of a network's rules.",
          "type": ["object", "null"],
          "properties": {
            "isAllowedOnBattery": {"type": ["boolean", "null"]},
            "dailyByteCountMax": {"type": ["integer", "null"], "minimum": 1000000},
            "hours": {
              "type": ["array", "null"],
              "maxItems": 8,
              "items": {"$ref": "#/components/schemas/DayHours"},
              "description": "Replaces every span."
            },
            "qualityMin": {"type": ["string", "null"], "enum": ["poor", "good", "excellent", null]}
          },
          "additionalProperties": false
        },
        "SegmentPolicyChange": {
          "description": "What to change of a segment's own rules; null where the app's shall hold.",
          "type": ["object", "null"],
          "properties": {
            "isForced": {"type": ["boolean", "null"]},
            "networks": {"$ref": "#/components/schemas/NetworkSelectionChange"},
            "wifi": {"$ref": "#/components/schemas/NetworkRulesChange"},
            "cellular": {"$ref": "#/components/schemas/NetworkRulesChange"},
            "batteryPercentMin": {"type": ["integer", "null"], "minimum": 0, "maximum": 100},
            "fileByteCountMax": {"type": ["integer", "null"], "minimum": 1}
          },
          "additionalProperties": false
        },
        "QualityChange": {
          "description": "What to change of the classes of quality.",
          "type": ["object", "null"],
          "properties": {
            "wifi": {"$ref": "#/components/schemas/QualityClassesChange"},
            "cellular": {"$ref": "#/components/schemas/QualityClassesChange"}
          },
          "additionalProperties": false
        },
        "QualityClassesChange": {
          "description": "What to change of a kind of network.",
          "type": ["object", "null"],
          "properties": {
            "good": {"$ref": "#/components/schemas/QualityLimitsChange"},
            "excellent": {"$ref": "#/components/schemas/QualityLimitsChange"}
          },
          "additionalProperties": false
        },
        "QualityLimitsChange": {
          "description": "What to change of a class.",
          "type": ["object", "null"],
          "properties": {
            "roundTripMillisecondsMax": {"type": ["integer", "null"], "minimum": 1, "maximum": 60000},
            "kilobitsPerSecondMin": {"type": ["integer", "null"], "minimum": 1, "maximum": 10000000}
          },
          "additionalProperties": false
        },
        "NewPinRule": {
          "description": "A pin rule to be.",
          "type": "object",
          "required": ["host", "digests"],
          "properties": {
            "host": {"type": "string", "minLength": 1, "maxLength": 253},
            "includesSubdomains": {"type": ["boolean", "null"], "default": false},
            "digests": {
              "type": "array",
              "minItems": 2,
              "maxItems": 10,
              "items": {"type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$"},
              "description": "One that the server shows, and a backup at least."
            },
            "expiresAt": {"type": ["string", "null"], "format": "date-time"},
            "isReportOnly": {"type": ["boolean", "null"], "default": false}
          },
          "additionalProperties": false
        }
        """#
}
