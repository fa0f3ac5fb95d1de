import Wire

/// The refusals of the control plane; `docs/server-api.md` lists the types.
extension ProblemDocument {
    /// Something that was named is not there (404).
    /// - Parameters:
    ///   - kind: one word, such as "app".
    ///   - name: what the caller named; shortened when long.
    static func unknown(_ kind: String, _ name: String, hint: String) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/unknown-\(kind)", title: "Unknown \(kind)", status: 404,
            detail: "There is no \(kind) \"\(name.prefix(100))\". \(hint)")
    }

    /// A value that cannot be taken as it is (422); the type names the field.
    static func invalid(_ field: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/invalid-\(field)", title: "Invalid value", status: 422, detail: detail)
    }

    /// Something that cannot be done as things stand (409).
    static func conflict(_ type: String, _ title: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/\(type)", title: title, status: 409, detail: detail)
    }

    /// The caller has not shown who it is (401).
    static func unauthorized(_ type: String, _ title: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/\(type)", title: title, status: 401, detail: detail)
    }

    /// The caller is known and may not (403).
    static func forbidden(_ type: String, _ title: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/\(type)", title: title, status: 403, detail: detail)
    }

    /// The caller asks too much for now (429).
    static func tooMany(_ type: String, _ title: String, _ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/\(type)", title: title, status: 429, detail: detail)
    }
}
