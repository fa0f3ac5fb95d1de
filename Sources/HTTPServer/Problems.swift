import Wire

/// The problem documents that the server itself answers with.
enum Problems {
    static func badRequest(_ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/bad-request", title: "Bad request", status: 400, detail: detail)
    }

    static var notFound: ProblemDocument {
        ProblemDocument(
            type: "/problems/not-found", title: "Not found", status: 404,
            detail: "Nothing is at this path. GET /v1/openapi.json lists the paths of the API.")
    }

    static var fileNotFound: ProblemDocument {
        ProblemDocument(
            type: "/problems/not-found", title: "Not found", status: 404, detail: "There is no file at this path.")
    }

    static func methodNotAllowed(_ method: String, allowed: String) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/method-not-allowed", title: "Method not allowed", status: 405,
            detail: "This path does not take \(method); it takes \(allowed).")
    }

    static func bodyTooLong(byteCountMax: Int) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/body-too-long", title: "Body too long", status: 413,
            detail: "The body is longer than the \(byteCountMax) bytes that this route takes.")
    }

    static func targetTooLong(byteCountMax: Int) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/target-too-long", title: "Request target too long", status: 414,
            detail: "The request target is longer than \(byteCountMax) bytes.")
    }

    static func fieldsTooLarge(byteCountMax: Int) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/fields-too-large", title: "Request fields too large", status: 431,
            detail: "The request's fields are longer than \(byteCountMax) bytes together.")
    }

    static var versionNotSupported: ProblemDocument {
        ProblemDocument(
            type: "/problems/version-not-supported", title: "HTTP version not supported", status: 505,
            detail: "This server speaks HTTP/1.1 and HTTP/1.0; a proxy in front may speak more.")
    }

    static var transferCodingNotImplemented: ProblemDocument {
        ProblemDocument(
            type: "/problems/transfer-coding-not-implemented", title: "Transfer coding not implemented", status: 501,
            detail: "The only transfer coding that this server takes is chunked.")
    }

    static var preconditionFailed: ProblemDocument {
        ProblemDocument(
            type: "/problems/precondition-failed", title: "Precondition failed", status: 412,
            detail: "The representation is not the one that If-Match or If-Unmodified-Since names.")
    }

    static func rangeNotSatisfiable(byteCount: Int64) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/range-not-satisfiable", title: "Range not satisfiable", status: 416,
            detail: "The range lies outside of the \(byteCount) bytes that there are.")
    }

    static var internalError: ProblemDocument {
        ProblemDocument(
            type: "/problems/internal-error", title: "Internal error", status: 500,
            detail: "The server failed to answer. Its log has the reason under this request's id.")
    }

    static var stopping: ProblemDocument {
        ProblemDocument(
            type: "/problems/stopping", title: "Server is stopping", status: 503,
            detail: "The server is being stopped. Try again in a moment.")
    }
}
