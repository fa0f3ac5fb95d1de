extension OpenAPI {
    /// The paths that devices use: members of `paths`.
    static let devicePaths = #"""
        "/v1/devices": {
          "post": {
            "operationId": "registerDevice",
            "tags": ["device"],
            "summary": "Registers a device with an API key, or renews its token.",
            "security": [],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegistrationRequest"}}}
            },
            "responses": {
              "201": {
                "description": "The device, with its token and the keys whose signatures it shall trust.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RegistrationResponse"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/devices/{id}": {
          "get": {
            "operationId": "getOwnState",
            "tags": ["device"],
            "summary": "Whether the device is still registered and its key good.",
            "security": [{"device": []}],
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "Larder-Device",
                "in": "header",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "204": {"description": "It is."},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"}
            }
          },
          "delete": {
            "operationId": "forgetOwnDevice",
            "tags": ["device"],
            "summary": "Forgets the device; what it told before stays without saying whose it was.",
            "security": [{"device": []}],
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "Larder-Device",
                "in": "header",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "204": {"description": "Forgotten."},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/devices/{id}/push-token": {
          "put": {
            "operationId": "setPushToken",
            "tags": ["device"],
            "summary": "Keeps where the device's notifications go.",
            "security": [{"device": []}],
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "Larder-Device",
                "in": "header",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PushToken"}}}
            },
            "responses": {
              "204": {"description": "Kept, in place of the one before."},
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/apps/{app}/release": {
          "get": {
            "operationId": "getRelease",
            "tags": ["device"],
            "summary": "The app's current release: a signed document that changes with each publication.",
            "security": [],
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "If-None-Match",
                "in": "header",
                "required": false,
                "description": "An entity tag from before.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The release, signed; the payload is a Release in JSON.",
                "headers": {
                  "ETag": {"schema": {"type": "string"}},
                  "Cache-Control": {"schema": {"type": "string"}}
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignedDocument"}}}
              },
              "304": {"description": "The one that the device has."},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/manifests/{digest}": {
          "get": {
            "operationId": "getManifest",
            "tags": ["device"],
            "summary": "A manifest: signed, immutable, named by the digest of its bytes.",
            "security": [],
            "parameters": [
              {
                "name": "digest",
                "in": "path",
                "required": true,
                "description": "SHA-256 of the manifest's bytes, 64 hexadecimal digits.",
                "schema": {"type": "string"}
              },
              {
                "name": "If-None-Match",
                "in": "header",
                "required": false,
                "description": "An entity tag from before.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The manifest, signed; the payload is a Manifest in JSON.",
                "headers": {
                  "ETag": {"schema": {"type": "string"}},
                  "Cache-Control": {"schema": {"type": "string"}}
                },
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignedDocument"}}}
              },
              "304": {"description": "The one that the device has."},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/batches/{id}": {
          "post": {
            "operationId": "storeBatch",
            "tags": ["device"],
            "summary": "Stores what a device has seen; once, however often it is sent.",
            "security": [{"device": []}],
            "parameters": [
              {
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The batch's id, the same as in its body.",
                "schema": {"type": "string"}
              },
              {
                "name": "Larder-Device",
                "in": "header",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "Content-Encoding",
                "in": "header",
                "required": false,
                "description": "How the body is compressed.",
                "schema": {"type": "string", "enum": ["zstd", "identity"]}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TelemetryBatch"}}}
            },
            "responses": {
              "204": {"description": "Stored, now or before."},
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "403": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/health": {
          "get": {
            "operationId": "getHealth",
            "tags": ["device"],
            "summary": "Whether the server can answer.",
            "security": [],
            "responses": {
              "200": {
                "description": "It can, and its store can be read.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
              },
              "500": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/openapi.json": {
          "get": {
            "operationId": "getDescription",
            "tags": ["device"],
            "summary": "This document.",
            "security": [],
            "parameters": [
              {
                "name": "If-None-Match",
                "in": "header",
                "required": false,
                "description": "An entity tag from before.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "This document.",
                "headers": {"ETag": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"type": "object"}}}
              },
              "304": {"description": "The one that the caller has."}
            }
          }
        }
        """#
}
