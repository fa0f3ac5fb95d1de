extension OpenAPI {
    /// The schemas of what devices told: members of `components/schemas`.
    static let telemetrySchemas = #"""
        "Event": {
          "description": "The app's events of one name.",
          "type": "object",
          "required": [
            "name", "count", "timedCount", "exchangeCount", "fromDeviceCount", "failedCount", "wireByteCount", "lastAt"
          ],
          "properties": {
            "name": {"type": "string"},
            "count": {"type": "integer"},
            "timedCount": {"type": "integer", "description": "Those that had a start and an end."},
            "medianMilliseconds": {"type": "number"},
            "percentile90Milliseconds": {"type": "number"},
            "exchangeCount": {"type": "integer", "description": "Exchanges that began while the timed ones ran."},
            "fromDeviceCount": {"type": "integer"},
            "failedCount": {"type": "integer"},
            "wireByteCount": {"type": "integer"},
            "lastAt": {"type": "string", "format": "date-time"}
          }
        },
        "Events": {
          "description": "Events by name.",
          "type": "object",
          "required": ["events"],
          "properties": {"events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}}
        },
        "PinFailure": {
          "description": "A chain of keys that none of its host's pins allow.",
          "type": "object",
          "required": ["host", "shownDigests", "count", "deviceCount", "lastAt"],
          "properties": {
            "host": {"type": "string"},
            "shownDigests": {"type": "array", "items": {"type": "string"}},
            "count": {"type": "integer"},
            "deviceCount": {"type": "integer"},
            "lastAt": {"type": "string", "format": "date-time"}
          }
        },
        "PinFailures": {
          "description": "Chains that broke pins.",
          "type": "object",
          "required": ["pinFailures"],
          "properties": {"pinFailures": {"type": "array", "items": {"$ref": "#/components/schemas/PinFailure"}}}
        },
        "TimelineEntry": {
          "description": "An event or an exchange of a device: one of the two is there.",
          "type": "object",
          "properties": {
            "event": {
              "description": "An event of the app; timed when it has a duration.",
              "type": "object",
              "required": ["name", "date"],
              "properties": {
                "name": {"type": "string"},
                "date": {"type": "string", "format": "date-time"},
                "durationMicroseconds": {"type": "integer"},
                "traffic": {
                  "description": "The exchanges that began while it ran.",
                  "type": "object",
                  "required": [
                    "exchangeCount", "fromDeviceCount", "failedCount", "wireByteCount", "totalMicroseconds"
                  ],
                  "properties": {
                    "exchangeCount": {"type": "integer"},
                    "fromDeviceCount": {"type": "integer"},
                    "failedCount": {"type": "integer"},
                    "wireByteCount": {"type": "integer"},
                    "totalMicroseconds": {"type": "integer"}
                  }
                }
              }
            },
            "exchange": {
              "description": "A request of the app with its answer.",
              "type": "object",
              "required": [
                "date", "method", "url", "status", "outcome", "cacheStatus", "firstByteMicroseconds",
                "totalMicroseconds", "bodyByteCount", "wireByteCount", "httpVersion", "segments"
              ],
              "properties": {
                "date": {"type": "string", "format": "date-time"},
                "method": {"type": "string"},
                "url": {"type": "string", "description": "Without query."},
                "status": {"type": "integer"},
                "outcome": {
                  "type": "string",
                  "enum": [
                    "pinnedHit", "cacheHit", "revalidated", "staleOnError", "miss", "passedThrough", "failed"
                  ]
                },
                "cacheStatus": {"type": "string"},
                "firstByteMicroseconds": {"type": "integer"},
                "totalMicroseconds": {"type": "integer"},
                "bodyByteCount": {"type": "integer"},
                "wireByteCount": {"type": "integer"},
                "httpVersion": {"type": "string"},
                "segments": {"type": "array", "items": {"type": "string"}},
                "errorCode": {"type": "string"},
                "events": {
                  "type": "array",
                  "items": {"type": "string"},
                  "description": "The timed events that ran as it began."
                }
              }
            }
          }
        },
        "Timeline": {
          "description": "What a device did, the newest first.",
          "type": "object",
          "required": ["entries"],
          "properties": {"entries": {"type": "array", "items": {"$ref": "#/components/schemas/TimelineEntry"}}}
        }
        """#
}
