extension OpenAPI {
    /// The schemas of bodies: members of `components/schemas`.
    static let schemas = #"""
        "Problem": {
          "description": "A problem document (RFC 9457).",
          "type": "object",
          "required": ["type", "title", "status", "detail"],
          "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "instance": {"type": "string", "format": "uri-reference"}
          }
        },
        "Health": {
          "description": "The state of the server.",
          "type": "object",
          "required": ["status", "version"],
          "properties": {"status": {"type": "string", "enum": ["ok"]}, "version": {"type": "string"}}
        },
        "RegistrationRequest": {
          "description": "A device introduces itself. Unknown members are passed over.",
          "type": "object",
          "required": ["apiKey", "bundleID", "platform", "sdkVersion"],
          "properties": {
            "apiKey": {"type": "string", "minLength": 1, "maxLength": 200},
            "bundleID": {"type": "string", "minLength": 1, "maxLength": 200},
            "platform": {"type": "string", "minLength": 0, "maxLength": 200},
            "sdkVersion": {"type": "string", "minLength": 0, "maxLength": 50},
            "deviceID": {"type": ["string", "null"], "minLength": 1, "maxLength": 100}
          },
          "additionalProperties": true
        },
        "PushToken": {
          "description": "Where notifications for a device go. Unknown members are passed over.",
          "type": "object",
          "required": ["service", "token"],
          "properties": {
            "service": {"type": "string", "pattern": "^[a-z0-9._-]{1,32}$"},
            "token": {"type": "string", "pattern": "^[!-~]{1,4096}$"}
          },
          "additionalProperties": true
        },
        "SigningKey": {
          "description": "An Ed25519 public key.",
          "type": "object",
          "required": ["id", "publicKey"],
          "properties": {"id": {"type": "string"}, "publicKey": {"type": "string", "contentEncoding": "base64"}}
        },
        "RegistrationResponse": {
          "description": "What a device needs from then on.",
          "type": "object",
          "required": ["deviceID", "deviceToken", "appID", "signingKeys"],
          "properties": {
            "deviceID": {"type": "string"},
            "deviceToken": {"type": "string"},
            "appID": {"type": "string"},
            "signingKeys": {"type": "array", "items": {"$ref": "#/components/schemas/SigningKey"}}
          }
        },
        "SignedDocument": {
          "description": "Bytes with signatures over the label, a line feed and the payload.",
          "type": "object",
          "required": ["label", "payload", "signatures"],
          "properties": {
            "label": {"type": "string", "enum": ["larder.release.v1", "larder.manifest.v1"]},
            "payload": {"type": "string", "contentEncoding": "base64"},
            "signatures": {
              "type": "array",
              "items": {
                "description": "One signature.",
                "type": "object",
                "required": ["keyID", "algorithm", "value"],
                "properties": {
                  "keyID": {"type": "string"},
                  "algorithm": {"type": "string", "enum": ["ed25519"]},
                  "value": {"type": "string", "contentEncoding": "base64"}
                }
              }
            }
          }
        },
        "TelemetryBatch": {
          "description": "What a device saw.",
          "type": "object",
          "required": ["id", "deviceID", "createdAt", "items", "losses"],
          "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 100},
            "deviceID": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "items": {"type": "array", "items": {"type": "object"}},
            "losses": {"type": "object", "additionalProperties": {"type": "integer"}}
          }
        },
        "Credentials": {
          "description": "Name and password of an administrator.",
          "type": "object",
          "required": ["name", "password"],
          "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "password": {"type": "string", "minLength": 1, "maxLength": 1000}
          },
          "additionalProperties": false
        },
        "SignedIn": {
          "description": "A session with its secret token.",
          "type": "object",
          "required": ["token", "administrator", "expiresAt"],
          "properties": {
            "token": {"type": "string"},
            "administrator": {"type": "string"},
            "expiresAt": {"type": "string", "format": "date-time"}
          }
        },
        "Session": {
          "description": "A session.",
          "type": "object",
          "required": ["administrator", "expiresAt"],
          "properties": {
            "administrator": {"type": "string"},
            "expiresAt": {"type": "string", "format": "date-time"}
          }
        },
        "App": {
          "description": "An application.",
          "type": "object",
          "required": ["id", "name", "bundleID", "createdAt", "policy", "quality", "pins"],
          "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"},
            "bundleID": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "policy": {"$ref": "#/components/schemas/Policy"},
            "quality": {"$ref": "#/components/schemas/QualityThresholds"},
            "pins": {"type": "array", "items": {"$ref": "#/components/schemas/PinRule"}}
          }
        },
        "Apps": {
          "description": "Apps.",
          "type": "object",
          "required": ["apps"],
          "properties": {"apps": {"type": "array", "items": {"$ref": "#/components/schemas/App"}}}
        },
        "NewApp": {
          "description": "An app to be.",
          "type": "object",
          "required": ["name", "bundleID"],
          "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "bundleID": {"type": "string", "minLength": 1, "maxLength": 200}
          },
          "additionalProperties": false
        },
        "AppChange": {
          "description": "What to change of an app (RFC 7396): absent members stay, null puts back the default, lists are replaced.",
          "type": "object",
          "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "bundleID": {"type": "string", "minLength": 1, "maxLength": 200},
            "policy": {"$ref": "#/components/schemas/PolicyChange"},
            "quality": {"$ref": "#/components/schemas/QualityChange"},
            "pins": {
              "type": ["array", "null"],
              "items": {"$ref": "#/components/schemas/NewPinRule"},
              "description": "Replaces every rule."
            }
          },
          "additionalProperties": false
        },
        "APIKey": {
          "description": "A key with which an app's devices register.",
          "type": "object",
          "required": ["key", "appID", "name", "createdAt"],
          "properties": {
            "key": {"type": "string"},
            "appID": {"type": "string"},
            "name": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "revokedAt": {"type": "string", "format": "date-time"}
          }
        },
        "Keys": {
          "description": "API keys.",
          "type": "object",
          "required": ["keys"],
          "properties": {"keys": {"type": "array", "items": {"$ref": "#/components/schemas/APIKey"}}}
        },
        "NewKey": {
          "description": "A key to be.",
          "type": "object",
          "required": ["name"],
          "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 200}},
          "additionalProperties": false
        },
        "Segment": {
          "description": "A named set of URLs.",
          "type": "object",
          "required": ["appID", "name", "note", "createdAt", "publishedVersion"],
          "properties": {
            "appID": {"type": "string"},
            "name": {"type": "string"},
            "note": {"type": "string"},
            "createdAt": {"type": "string", "format": "date-time"},
            "publishedVersion": {"type": "integer"},
            "publishedManifest": {"type": "string", "pattern": "^[0-9a-f]{64}$"}
          }
        },
        "Segments": {
          "description": "Segments.",
          "type": "object",
          "required": ["segments"],
          "properties": {"segments": {"type": "array", "items": {"$ref": "#/components/schemas/Segment"}}}
        },
        "NewSegment": {
          "description": "A segment to be.",
          "type": "object",
          "required": ["name"],
          "properties": {
            "name": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
            "note": {"type": "string", "minLength": 0, "maxLength": 1000}
          },
          "additionalProperties": false
        },
        "Item": {
          "description": "One URL of a segment, with what ingest found.",
          "type": "object",
          "required": ["appID", "segment", "url", "state", "byteCount", "priority", "isEssential", "findings"],
          "properties": {
            "appID": {"type": "string"},
            "segment": {"type": "string"},
            "url": {"type": "string"},
            "state": {"type": "string", "enum": ["pending", "ready", "warning", "failed"]},
            "byteCount": {"type": "integer"},
            "priority": {"type": "integer"},
            "isEssential": {"type": "boolean"},
            "findings": {"type": "array", "items": {"type": "string"}},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "eTag": {"type": "string"},
            "lastModified": {"type": "string"},
            "contentType": {"type": "string"},
            "contentEncoding": {"type": "string"},
            "checkedAt": {"type": "string", "format": "date-time"}
          }
        },
        "Items": {
          "description": "Items.",
          "type": "object",
          "required": ["items"],
          "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}}
        },
        "ItemChange": {
          "description": "What to change of an item.",
          "type": "object",
          "properties": {
            "priority": {"type": "integer", "minimum": 0, "maximum": 9999},
            "isEssential": {"type": "boolean"}
          },
          "additionalProperties": false
        },
        "IngestSource": {
          "description": "Where the URLs come from: a list or a sitemap.",
          "oneOf": [
            {
              "description": "A list.",
              "type": "object",
              "required": ["urls"],
              "properties": {
                "urls": {
                  "type": "array",
                  "minItems": 1,
                  "maxItems": 100000,
                  "items": {"type": "string", "minLength": 1, "maxLength": 8192}
                }
              },
              "additionalProperties": false
            },
            {
              "description": "A sitemap or sitemap index.",
              "type": "object",
              "required": ["sitemap"],
              "properties": {"sitemap": {"type": "string", "minLength": 1, "maxLength": 8192}},
              "additionalProperties": false
            }
          ]
        },
        "NewIngest": {
          "description": "An ingest to be.",
          "type": "object",
          "required": ["source"],
          "properties": {
            "source": {"$ref": "#/components/schemas/IngestSource"},
            "replacesItems": {"type": "boolean", "default": false}
          },
          "additionalProperties": false
        },
        "Ingest": {
          "description": "One run of an ingest.",
          "type": "object",
          "required": [
            "id",
            "appID",
            "segment",
            "source",
            "replacesItems",
            "state",
            "itemsTotal",
            "itemsDone",
            "itemsFailed",
            "startedAt"
          ],
          "properties": {
            "id": {"type": "string"},
            "appID": {"type": "string"},
            "segment": {"type": "string"},
            "source": {"$ref": "#/components/schemas/IngestSource"},
            "replacesItems": {"type": "boolean"},
            "state": {"type": "string", "enum": ["running", "succeeded", "failed"]},
            "itemsTotal": {"type": "integer"},
            "itemsDone": {"type": "integer"},
            "itemsFailed": {"type": "integer"},
            "startedAt": {"type": "string", "format": "date-time"},
            "endedAt": {"type": "string", "format": "date-time"},
            "failure": {"type": "string"}
          }
        },
        "Ingests": {
          "description": "Ingests.",
          "type": "object",
          "required": ["ingests"],
          "properties": {"ingests": {"type": "array", "items": {"$ref": "#/components/schemas/Ingest"}}}
        },
        "ReleaseSegment": {
          "description": "A segment as a release lists it.",
          "type": "object",
          "required": ["name", "version", "manifest", "itemCount", "byteCount"],
          "properties": {
            "name": {"type": "string"},
            "version": {"type": "integer"},
            "manifest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "itemCount": {"type": "integer"},
            "byteCount": {"type": "integer"}
          }
        },
        "Release": {
          "description": "A published version of an app's configuration.",
          "type": "object",
          "required": [
            "app", "version", "publishedAt", "publishedBy", "segments", "policy", "quality", "pins"
          ],
          "properties": {
            "app": {"type": "string"},
            "version": {"type": "integer"},
            "publishedAt": {"type": "string", "format": "date-time"},
            "publishedBy": {"type": "string"},
            "segments": {"type": "array", "items": {"$ref": "#/components/schemas/ReleaseSegment"}},
            "policy": {"$ref": "#/components/schemas/Policy"},
            "quality": {"$ref": "#/components/schemas/QualityThresholds"},
            "pins": {"type": "array", "items": {"$ref": "#/components/schemas/PinRule"}}
          }
        },
        "Releases": {
          "description": "Releases.",
          "type": "object",
          "required": ["releases"],
          "properties": {"releases": {"type": "array", "items": {"$ref": "#/components/schemas/Release"}}}
        },
        "SettingChange": {
          "description": "What becomes of one setting.",
          "type": "object",
          "required": ["name"],
          "properties": {
            "name": {"type": "string"},
            "before": {"type": "string", "description": "Absent when it is new."},
            "after": {"type": "string", "description": "Absent when it goes."}
          }
        },
        "SegmentChange": {
          "description": "What becomes of one segment.",
          "type": "object",
          "required": [
            "name", "nextVersion", "itemCount", "byteCount", "addedCount", "changedCount", "removedCount",
            "failedCount"
          ],
          "properties": {
            "name": {"type": "string"},
            "currentVersion": {"type": "integer", "description": "Absent when it is new to devices."},
            "nextVersion": {"type": "integer"},
            "itemCount": {"type": "integer"},
            "byteCount": {"type": "integer"},
            "addedCount": {"type": "integer"},
            "changedCount": {"type": "integer"},
            "removedCount": {"type": "integer"},
            "failedCount": {"type": "integer", "description": "Left out because their check failed."}
          }
        },
        "Preview": {
          "description": "What publishing would change.",
          "type": "object",
          "required": ["nextReleaseVersion", "segments", "removedSegments", "settingChanges", "blockers"],
          "properties": {
            "nextReleaseVersion": {"type": "integer"},
            "segments": {"type": "array", "items": {"$ref": "#/components/schemas/SegmentChange"}},
            "removedSegments": {"type": "array", "items": {"type": "string"}},
            "settingChanges": {"type": "array", "items": {"$ref": "#/components/schemas/SettingChange"}},
            "blockers": {
              "type": "array",
              "items": {"type": "string"},
              "description": "Why it cannot be published now; empty when it can."
            }
          }
        },
        "Rollback": {
          "description": "Which release to publish again.",
          "type": "object",
          "required": ["version"],
          "properties": {"version": {"type": "integer", "minimum": 1}},
          "additionalProperties": false
        },
        "Nothing": {
          "description": "An empty object, or no body at all.",
          "type": "object",
          "additionalProperties": false
        },
        "Device": {
          "description": "One installation of an app.",
          "type": "object",
          "required": ["id", "appID", "apiKey", "platform", "sdkVersion", "registeredAt", "lastSeenAt"],
          "properties": {
            "id": {"type": "string"},
            "appID": {"type": "string"},
            "apiKey": {"type": "string"},
            "platform": {"type": "string"},
            "sdkVersion": {"type": "string"},
            "registeredAt": {"type": "string", "format": "date-time"},
            "lastSeenAt": {"type": "string", "format": "date-time"},
            "pushService": {"type": "string", "description": "Absent when the device has told no push token."}
          }
        },
        "Devices": {
          "description": "A page of devices.",
          "type": "object",
          "required": ["devices", "total", "limit", "offset"],
          "properties": {
            "devices": {"type": "array", "items": {"$ref": "#/components/schemas/Device"}},
            "total": {"type": "integer"},
            "limit": {"type": "integer"},
            "offset": {"type": "integer"}
          }
        },
        "DeviceProgress": {
          "description": "How far a device is with a segment.",
          "type": "object",
          "required": [
            "deviceID",
            "segment",
            "version",
            "itemsReady",
            "itemsFailed",
            "itemsTotal",
            "isActive",
            "date"
          ],
          "properties": {
            "deviceID": {"type": "string"},
            "segment": {"type": "string"},
            "version": {"type": "integer"},
            "itemsReady": {"type": "integer"},
            "itemsFailed": {"type": "integer"},
            "itemsTotal": {"type": "integer"},
            "isActive": {"type": "boolean"},
            "date": {"type": "string", "format": "date-time"}
          }
        },
        "Progress": {
          "description": "Progress of devices.",
          "type": "object",
          "required": ["progress"],
          "properties": {"progress": {"type": "array", "items": {"$ref": "#/components/schemas/DeviceProgress"}}}
        },
        "Slice": {
          "description": "One slice of time.",
          "type": "object",
          "required": ["start", "exchanges", "savedByteCount", "wireByteCount", "savedMilliseconds"],
          "properties": {
            "start": {"type": "string", "format": "date-time"},
            "exchanges": {"type": "object", "additionalProperties": {"type": "integer"}},
            "savedByteCount": {"type": "integer"},
            "wireByteCount": {"type": "integer"},
            "savedMilliseconds": {"type": "number"},
            "hitMilliseconds": {"type": "number"},
            "missMilliseconds": {"type": "number"}
          }
        },
        "Statistics": {
          "description": "The dashboard's numbers.",
          "type": "object",
          "required": ["slices", "total", "outcomes", "events", "losses", "deviceCount"],
          "properties": {
            "slices": {"type": "array", "items": {"$ref": "#/components/schemas/Slice"}},
            "total": {"$ref": "#/components/schemas/Slice"},
            "outcomes": {
              "type": "object",
              "additionalProperties": {
                "description": "Count and bytes.",
                "type": "object",
                "required": ["count", "byteCount"],
                "properties": {"count": {"type": "integer"}, "byteCount": {"type": "integer"}}
              }
            },
            "events": {"type": "object", "additionalProperties": {"type": "integer"}},
            "losses": {"type": "object", "additionalProperties": {"type": "integer"}},
            "deviceCount": {"type": "integer"}
          }
        }
        """#
}
