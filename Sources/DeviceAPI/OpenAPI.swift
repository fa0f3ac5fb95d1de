/// The description of the server's API in OpenAPI 3.1, for devices and operators alike.
///
/// It is part of the program, so that no file can be missing; tests hold it against the route tables and real answers.
public enum OpenAPI {
    /// The whole document as JSON.
    public static let document = """
        {
        "openapi": "3.1.0",
        "info": \(info),
        "servers": [{"url": "/"}],
        "security": [{"session": []}],
        "paths": {
        \(devicePaths),
        \(adminPaths),
        \(segmentPaths),
        \(telemetryPaths)
        },
        "components": {
        "securitySchemes": \(securitySchemes),
        "responses": \(responses),
        "schemas": {
        \(schemas),
        \(telemetrySchemas),
        \(settingsSchemas)
        }
        }
        }
        """

    private static let info = #"""
        {
          "title": "Larder",
          "version": "1",
          "summary": "Content on the device before the app asks for it: the server's API.",
          "description": "Errors are problem documents (RFC 9457). GET answers HEAD too. Dates are ISO 8601, UTC.",
          "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
        }
        """#

    private static let securitySchemes = #"""
        {
          "session": {"type": "http", "scheme": "bearer", "description": "The token of POST /v1/admin/sessions."},
          "device": {"type": "http", "scheme": "bearer", "description": "The token of POST /v1/devices."}
        }
        """#

    private static let responses = #"""
        {
          "Problem": {
            "description": "What was wrong, where, and what to do.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          }
        }
        """#
}
