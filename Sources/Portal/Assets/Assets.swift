import HTTPModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What pages refer to under `/assets/`: the portal's own style and script, and the libraries and type that Debian installs.
///
/// A library that is not installed answers 404, and the pages do without it.
enum Assets {
    /// Where Debian's packages put their files.
    private static let installed: [String: (path: String, type: String)] = [
        "chart.js": ("/usr/share/javascript/chart.js/chart.min.js", "text/javascript; charset=utf-8"),
        "inter-regular.otf": ("/usr/share/fonts/opentype/inter/Inter-Regular.otf", "font/otf"),
        "inter-medium.otf": ("/usr/share/fonts/opentype/inter/Inter-Medium.otf", "font/otf"),
        "inter-semibold.otf": ("/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", "font/otf"),
    ]

    private static let embedded: [String: (text: String, type: String)] = [
        "portal.css": (Stylesheet.css, "text/css; charset=utf-8"),
        "portal.js": (ChartScript.javaScript, "text/javascript; charset=utf-8"),
    ]

    static let route = Route(.get, "/assets/{name}", bodyByteCountMax: 0) { request in
        let name = request.parameters["name"] ?? ""
        if let asset = embedded[name] {
            return ServerResponse(
                fields: [.contentType: asset.type, .cacheControl: "public, max-age=600"],
                body: .data(Data(asset.text.utf8)))
        }
        guard let asset = installed[name] else { throw missing(name) }
        let response = ServerResponse.file(
            asset.path, for: request, fields: [.contentType: asset.type, .cacheControl: "public, max-age=86400"])
        guard let response else { throw missing(name) }
        return response
    }

    private static func missing(_ name: String) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/not-found", title: "Not found", status: 404,
            detail: "There is no asset \(name), or the package that holds it is not installed.")
    }
}
