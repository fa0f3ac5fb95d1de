extension OpenAPI {
    /// The paths of segments, items and ingests: members of `paths`.
    static let segmentPaths = #"""
        "/v1/admin/apps/{app}/segments": {
          "get": {
            "operationId": "listSegments",
            "tags": ["segments"],
            "summary": "The app's segments.",
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
                "description": "The segments.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Segments"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "post": {
            "operationId": "createSegment",
            "tags": ["segments"],
            "summary": "Makes an empty segment.",
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
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewSegment"}}}
            },
            "responses": {
              "201": {
                "description": "The segment.",
                "headers": {"Location": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Segment"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/segments/{segment}": {
          "get": {
            "operationId": "getSegment",
            "tags": ["segments"],
            "summary": "One segment.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The segment.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Segment"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "delete": {
            "operationId": "removeSegment",
            "tags": ["segments"],
            "summary": "Removes a segment and its items; the next publication leaves it out.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "204": {"description": "Removed."},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/segments/{segment}/items": {
          "get": {
            "operationId": "listItems",
            "tags": ["items"],
            "summary": "The segment's items with what ingest found.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The items.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Items"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          },
          "patch": {
            "operationId": "updateItem",
            "tags": ["items"],
            "summary": "Changes what the body names of an item.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              },
              {
                "name": "url",
                "in": "query",
                "required": true,
                "description": "The item's URL, percent-encoded.",
                "schema": {"type": "string", "format": "uri"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ItemChange"}}}
            },
            "responses": {
              "200": {
                "description": "The item.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"}
            }
          },
          "delete": {
            "operationId": "removeItem",
            "tags": ["items"],
            "summary": "Removes an item.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              },
              {
                "name": "url",
                "in": "query",
                "required": true,
                "description": "The item's URL, percent-encoded.",
                "schema": {"type": "string", "format": "uri"}
              }
            ],
            "responses": {
              "204": {"description": "Removed."},
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/segments/{segment}/ingests": {
          "post": {
            "operationId": "startIngest",
            "tags": ["ingests"],
            "summary": "Starts to fetch and check the URLs of a list or a sitemap, in the background.",
            "parameters": [
              {
                "name": "app",
                "in": "path",
                "required": true,
                "description": "The app's id.",
                "schema": {"type": "string"}
              },
              {
                "name": "segment",
                "in": "path",
                "required": true,
                "description": "The segment's name.",
                "schema": {"type": "string"}
              }
            ],
            "requestBody": {
              "required": true,
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewIngest"}}}
            },
            "responses": {
              "202": {
                "description": "Started; Location names the ingest.",
                "headers": {"Location": {"schema": {"type": "string"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ingest"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"},
              "409": {"$ref": "#/components/responses/Problem"},
              "413": {"$ref": "#/components/responses/Problem"},
              "415": {"$ref": "#/components/responses/Problem"},
              "422": {"$ref": "#/components/responses/Problem"},
              "429": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/apps/{app}/ingests": {
          "get": {
            "operationId": "listIngests",
            "tags": ["ingests"],
            "summary": "The app's ingests, the newest first.",
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
                "description": "The ingests.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ingests"}}}
              },
              "400": {"$ref": "#/components/responses/Problem"},
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        },
        "/v1/admin/ingests/{ingest}": {
          "get": {
            "operationId": "getIngest",
            "tags": ["ingests"],
            "summary": "One ingest with its progress.",
            "parameters": [
              {
                "name": "ingest",
                "in": "path",
                "required": true,
                "description": "The ingest's id.",
                "schema": {"type": "string"}
              }
            ],
            "responses": {
              "200": {
                "description": "The ingest.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ingest"}}}
              },
              "401": {"$ref": "#/components/responses/Problem"},
              "404": {"$ref": "#/components/responses/Problem"}
            }
          }
        }
        """#
}
