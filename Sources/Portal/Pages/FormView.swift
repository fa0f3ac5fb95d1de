import ControlModel

/// Pieces of forms.
enum FormView {
    /// What protects a form against requests from other sites.
    static func token(_ session: AdminSession) -> HTML {
        "<input type=\"hidden\" name=\"form_token\" value=\"\(session.formToken)\">"
    }

    /// A labelled line of text; with a message when it was refused.
    static func text(
        _ label: String, name: String, value: String = "", type: String = "text", hint: String? = nil,
        error: String? = nil, isRequired: Bool = true
    ) -> HTML {
        let hints: HTML = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\($0)</p>" } ?? .empty
        let errors: HTML = error.map { "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\($0)</p>" } ?? .empty
        let described: HTML = "\(name)-\(error == nil ? "hint" : "error")"
        return """
            <div class="field\(error == nil ? .empty : " wrong" as HTML)"><label for="\(name)">\(label)</label>
            <input type="\(type)" id="\(name)" name="\(name)" value="\(value)" aria-describedby="\(described)"\("required", if: isRequired)>
            \(hints)\(errors)</div>
            """
    }

    /// A form that is one button.
    static func button(
        _ label: String, to path: PortalPath, session: AdminSession, fields: [(name: String, value: String)] = [],
        style: String = "button plain tiny"
    ) -> HTML {
        let hidden = fields.map { field -> HTML in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        return """
            <form method="post" action="\(path)">\(token(session))\(hidden)<button class="\(style)">\(label)</button></form>
            """
    }

    /// A message at the top of a page.
    static func notice(_ text: String?, style: String = "") -> HTML {
        guard let text else { return .empty }
        return "<div class=\"notice \(style)\" role=\"status\">\(text)</div>"
    }
}
