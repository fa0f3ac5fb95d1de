extension OpenAPI {
    /// The paths of sessions, apps, keys, releases and devices: members of `paths`.
    static let adminPaths = #"""
        "/v1/admin/sessions": {
          "post": {
            "operationId": "signIn",
            "tags": ["sessions"],
            "summary": "Signs an administrator in. Ten failures for a name in a minute shut it for a minute.",
            "security": [],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Credentials"}}}
            },
            "responses": {
              "201": {
                "description": "The session with its token.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SignedIn"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "429": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/sessions/current": {
          "get": {
            "operationId": "getSession",
            "tags": ["sessions"],
            "summary": "The caller's session.",
            "responses": {
              "200": {
                "description": "The session.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Session"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"}
            }
          },
          "delete": {
            "operationId": "signOut",
            "tags": ["sessions"],
            "summary": "Ends the caller's session.",
            "responses": {"204": {"description": "Ended."}, "401": {"$ref": "#/components/responses/Problem"}}
          }
        },
        "/v1/admin/apps": {
          "get": {
            "operationId": "listApps",
            "tags": ["apps"],
            "summary": "Every app.",
            "responses": {
              "200": {
                "description": "The apps.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Apps"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"}
            }
          },
          "post": {
            "operationId": "createApp",
            "tags": ["apps"],
            "summary": "Makes an app.",
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewApp"}}}
            },
            "responses": {
              "201": {
                "description": "The app.",
                "headers": {"Location": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/App"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}": {
          "get": {
            "operationId": "getApp",
            "tags": ["apps"],
            "summary": "One app.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The app.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/App"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "patch": {
            "operationId": "updateApp",
            "tags": ["apps"],
            "summary": "Changes what the body names of an app. Devices see a changed policy with the next release.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/AppChange"}}}
            },
            "responses": {
              "200": {
                "description": "The app.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/App"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/keys": {
          "get": {
            "operationId": "listKeys",
            "tags": ["keys"],
            "summary": "The app's API keys, revoked ones as well.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The keys.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Keys"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "post": {
            "operationId": "createKey",
            "tags": ["keys"],
            "summary": "Makes an API key.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewKey"}}}
            },
            "responses": {
              "201": {
                "description": "The key.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/APIKey"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/keys/{key}": {
          "delete": {
            "operationId": "revokeKey",
            "tags": ["keys"],
            "summary": "Revokes an API key: its devices are turned away from now on.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "key",
                "in": "path",
                "required": true,
                "description": "The API key.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The key.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/APIKey"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/releases": {
          "get": {
            "operationId": "listReleases",
            "tags": ["releases"],
            "summary": "The app's releases, the newest first.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "limit",
                "in": "query",
                "required": false,
                "description": "Most lines of the list.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}
              }
            ],
            "responses": {
              "200": {
                "description": "The releases.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Releases"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "post": {
            "operationId": "publish",
            "tags": ["releases"],
            "summary": "Freezes the segments into signed manifests and publishes them.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": false,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Nothing"}}}
            },
            "responses": {
              "201": {
                "description": "The release.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Release"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/rollbacks": {
          "post": {
            "operationId": "rollBack",
            "tags": ["releases"],
            "summary": "Publishes the content of an earlier release under a new version.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Rollback"}}}
            },
            "responses": {
              "201": {
                "description": "The release.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Release"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/preview": {
          "get": {
            "operationId": "previewPublication",
            "tags": ["releases"],
            "summary": "What publishing now would change for the devices.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The changes.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Preview"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/devices": {
          "get": {
            "operationId": "listDevices",
            "tags": ["devices"],
            "summary": "The app's devices, in pages.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "limit",
                "in": "query",
                "required": false,
                "description": "Most lines of the list.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
              },
              {
                "name": "offset",
                "in": "query",
                "required": false,
                "description": "Lines to pass over.",
                "schema": {"type": "integer", "minimum": 0, "default": 0}
              }
            ],
            "responses": {
              "200": {
                "description": "A page of devices.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Devices"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/progress": {
          "get": {
            "operationId": "listProgress",
            "tags": ["devices"],
            "summary": "How far each device is with each segment.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The progress.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Progress"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/statistics": {
          "get": {
            "operationId": "getStatistics",
            "tags": ["statistics"],
            "summary": "What devices have told, summed up by slices of time.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "from",
                "in": "query",
                "required": false,
                "description": "The start; 24 hours before the end unless given.",
                "schema": {"type": "string", "format": "date-time"}
              },
              {
                "name": "to",
                "in": "query",
                "required": false,
                "description": "The end; now unless given.",
                "schema": {"type": "string", "format": "date-time"}
              },
              {
                "name": "slices",
                "in": "query",
                "required": false,
                "description": "Slices of equal length.",
                "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 24}
              }
            ],
            "responses": {
              "200": {
                "description": "The statistics.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Statistics"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
        """#
}
