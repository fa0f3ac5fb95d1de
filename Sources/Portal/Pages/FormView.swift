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
        error: String? = nil, isRequired: Bool = true, inputMode: String = "text"
    ) -> HTML {
        field(label, name: name, hint: hint, error: error) { described in
            """
            <input type="\(type)" id="\(name)" name="\(name)" value="\(value)" inputmode="\(inputMode)" \(described)\("required", if: isRequired)>
            """
        }
    }

    /// A labelled line of text of a form; a number when it has a unit, which stands with the label.
    static func text(
        _ label: String, name: String, in state: FormState, unit: String? = nil, hint: String? = nil,
        isRequired: Bool = true
    ) -> HTML {
        text(
            unit.map { "\(label), \($0)" } ?? label, name: name, value: state.texts[name] ?? "", hint: hint,
            error: state.errors[name], isRequired: isRequired, inputMode: unit == nil ? "text" : "decimal")
    }

    /// A labelled choice.
    static func select(
        _ label: String, name: String, in state: FormState, options: [(value: String, label: String)],
        hint: String? = nil
    ) -> HTML {
        let list = options.map { option -> HTML in
            "<option value=\"\(option.value)\"\("selected", if: option.value == state.texts[name])>\(option.label)</option>"
        }
        return field(label, name: name, hint: hint, error: state.errors[name]) { described in
            "<select id=\"\(name)\" name=\"\(name)\" \(described)>\(list)</select>"
        }
    }

    /// A labelled text of several lines.
    static func area(_ label: String, name: String, in state: FormState, hint: String? = nil) -> HTML {
        field(label, name: name, hint: hint, error: state.errors[name]) { described in
            "<textarea id=\"\(name)\" name=\"\(name)\" spellcheck=\"false\" \(described)>\(state.texts[name] ?? "")</textarea>"
        }
    }

    /// A box to check, with what checking it means.
    static func check(_ label: String, name: String, in state: FormState) -> HTML {
        """
        <div class="field"><label class="choice"><input type="checkbox" id="\(name)" name="\(name)" value="true"\("checked", if: state.texts[name] == "true")>
        \(label)</label></div>
        """
    }

    /// A labelled field with its hint, or with what is wrong with it.
    private static func field(
        _ label: String, name: String, hint: String?, error: String?, _ input: (HTML) -> HTML
    ) -> HTML {
        let hints: HTML = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\($0)</p>" } ?? .empty
        let errors: HTML = error.map { "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\($0)</p>" } ?? .empty
        let described: HTML =
            if error != nil {
                "aria-invalid=\"true\" aria-describedby=\"\(name)-error\""
            } else {
                hint == nil ? .empty : "aria-describedby=\"\(name)-hint\""
            }
        return """
            <div class="field\(error == nil ? .empty : " wrong" as HTML)"><label for="\(name)">\(label)</label>
            \(input(described))\(hints)\(errors)</div>
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
