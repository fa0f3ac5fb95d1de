extension OpenAPI {
    /// The paths of what devices told: members of `paths`.
    static let telemetryPaths = #"""
        "/v1/admin/apps/{app}/devices/{device}": {
          "delete": {
            "operationId": "forgetDevice",
            "tags": ["devices"],
            "summary": "Forgets a device; what it told before stays without saying whose it was. It may register again while its key is good.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "device",
                "in": "path",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "204": {"description": "Forgotten."},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/devices/{device}/timeline": {
          "get": {
            "operationId": "getTimeline",
            "tags": ["devices"],
            "summary": "The device's latest 50 events with the exchanges since the first of them, 500 at most, the newest first.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "device",
                "in": "path",
                "required": true,
                "description": "The device's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The entries.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Timeline"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/events": {
          "get": {
            "operationId": "listEvents",
            "tags": ["statistics"],
            "summary": "The app's events of a span of time by name, the most frequent 200 first.",
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
                "description": "The span's start; a day before its end unless told.",
                "schema": {"type": "string", "format": "date-time"}
              },
              {
                "name": "to",
                "in": "query",
                "required": false,
                "description": "The span's end; now unless told.",
                "schema": {"type": "string", "format": "date-time"}
              }
            ],
            "responses": {
              "200": {
                "description": "The events.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Events"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/pin-failures": {
          "get": {
            "operationId": "listPinFailures",
            "tags": ["statistics"],
            "summary": "The chains of keys that devices met and that no pin of their host allows, the newest 100 first.",
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
                "description": "The span's start; a day before its end unless told.",
                "schema": {"type": "string", "format": "date-time"}
              },
              {
                "name": "to",
                "in": "query",
                "required": false,
                "description": "The span's end; now unless told.",
                "schema": {"type": "string", "format": "date-time"}
              }
            ],
            "responses": {
              "200": {
                "description": "The chains.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PinFailures"}}}
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
