import HTTPModel

extension CachingCase {
    /// Stored for one list of what a client accepts, asked for with another.
    private static func accepting(
        _ name: String, _ kind: Kind, _ first: String, _ second: String, _ matches: Bool,
        of field: HTTPFieldName = "Accept-Language", coding: String? = nil
    ) -> CachingCase {
        var fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": field.description]
        fields[.contentEncoding] = coding
        return CachingCase(
            name, "RFC 9111 §4.1", kind,
            [
                CachingExchange(0, .miss, [field: first], origin: .ok(fields)),
                CachingExchange(1, matches ? .hit : .miss, [field: second], origin: .ok(), body: matches ? 0 : 1),
            ])
    }

    /// Variants by lists of weighted names.
    static let preferences: [CachingCase] = [
        accepting("languages of one weight have no order", .may, "sv, fi", "fi, sv", true),
        accepting("nor have those with their own", .may, "sv;q=0.9, fi;q=0.5", "fi;q=0.5, sv;q=0.9", true),
        accepting("the weights belong to the languages", .must, "sv, fi;q=0.5", "sv;q=0.5, fi", false),
        accepting("languages have no case", .may, "sv-SE, fi", "SV-se, FI", true),
        accepting("white space around a weight does not matter", .may, "sv ; q=0.5,fi", "sv;q=0.5, fi", true),
        accepting("nor does the way to write it", .may, "sv;q=1, fi;q=0.50", "sv, fi;Q=0.500", true),
        accepting("an empty member is none", .may, "sv, , fi", "sv, fi", true),
        accepting("one language more does matter", .must, "sv, fi", "sv, fi, se", false),
        accepting("so does one that is excluded", .must, "sv, fi", "sv, fi;q=0", false),
        accepting("another weight", .must, "sv;q=0.5", "sv;q=0.501", false),
        accepting("a language that is a part of another", .must, "sv", "sv-SE", false),
        accepting("a language that the stored response is in", .must, "sv, fi", "fi", false),
        accepting("a weight above 1 is compared letter by letter", .must, "sv;q=1.5, fi", "fi, sv;q=1.5", false),
        accepting("and so is one that is no number", .must, "sv;q=high, fi", "fi, sv;q=high", false),
        accepting("and a member with more than a weight", .must, "sv;q=1;x=2, fi", "fi, sv;q=1;x=2", false),
        accepting("and one without a name", .must, ";q=1, fi", "fi, ;q=1", false),
        accepting(
            "codings have no order either", .may, "dcb, gzip", "GZIP, dcb", true, of: "Accept-Encoding", coding: "dcb"),
        accepting("nor have character sets", .may, "utf-8, koi8-r", "KOI8-R, UTF-8", true, of: "Accept-Charset"),
        accepting(
            "a list that is not known to have no order", .must, "text/html, a/b", "a/b, text/html", false, of: "Accept"),
    ]
}
