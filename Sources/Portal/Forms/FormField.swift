import ControlModel
import ControlPlane
import Wire

/// One field of a form over a value: how it is written out, and how it is read back.
struct FormField<Root> {
    /// The member's place in the value, with dots: "policy.wifi.hours". It names the field in the page as well.
    var name: String
    /// What the field shows of a value.
    var text: (Root) -> String
    /// Reads what was typed into the value; returns what is wrong with it.
    var read: (String, inout Root) -> String?

    /// A text as it is.
    static func plain(_ name: String, _ path: WritableKeyPath<Root, String>) -> FormField {
        FormField(name: name, text: { $0[keyPath: path] }) { text, root in
            root[keyPath: path] = text
            return nil
        }
    }

    /// A check box.
    static func flag(_ name: String, _ path: WritableKeyPath<Root, Bool>) -> FormField {
        FormField(name: name, text: { $0[keyPath: path] ? "true" : "" }) { text, root in
            root[keyPath: path] = text == "true"
            return nil
        }
    }

    /// A number, in a larger unit unless it is one.
    static func count<Number: FixedWidthInteger>(
        _ name: String, _ path: WritableKeyPath<Root, Number>, per unit: Int64 = 1
    ) -> FormField {
        FormField(name: name, text: { UnitText.text(Int64($0[keyPath: path]), per: unit) }) { text, root in
            guard let count = UnitText.count(text, per: unit), let number = Number(exactly: count) else {
                return sentence(unit)
            }
            root[keyPath: path] = number
            return nil
        }
    }

    /// A number that may be left out.
    static func optionalCount<Number: FixedWidthInteger>(
        _ name: String, _ path: WritableKeyPath<Root, Number?>, per unit: Int64 = 1
    ) -> FormField {
        FormField(
            name: name, text: { $0[keyPath: path].map { UnitText.text(Int64($0), per: unit) } ?? "" }
        ) { text, root in
            guard !text.isEmpty else {
                root[keyPath: path] = nil
                return nil
            }
            guard let count = UnitText.count(text, per: unit), let number = Number(exactly: count) else {
                return "\(sentence(unit)) Empty for none."
            }
            root[keyPath: path] = number
            return nil
        }
    }

    /// A choice among the values of a type.
    static func choice<Choice: RawRepresentable<String>>(
        _ name: String, _ path: WritableKeyPath<Root, Choice>
    ) -> FormField {
        FormField(name: name, text: { $0[keyPath: path].rawValue }) { text, root in
            guard let choice = Choice(rawValue: text) else { return "Choose one of the list, please." }
            root[keyPath: path] = choice
            return nil
        }
    }

    /// A choice that may be left out.
    static func optionalChoice<Choice: RawRepresentable<String>>(
        _ name: String, _ path: WritableKeyPath<Root, Choice?>
    ) -> FormField {
        FormField(name: name, text: { $0[keyPath: path]?.rawValue ?? "" }) { text, root in
            root[keyPath: path] = Choice(rawValue: text)
            return text.isEmpty || root[keyPath: path] != nil ? nil : "Choose one of the list, please."
        }
    }

    /// Spans of the day.
    static func hours(_ name: String, _ path: WritableKeyPath<Root, [DayHours]>) -> FormField {
        FormField(name: name, text: { $0[keyPath: path].map(\.text).joined(separator: ", ") }) { text, root in
            guard let spans = DayHours.spans(text) else {
                return "Spans such as 22:00–06:00, with commas between them, please. Empty for the whole day."
            }
            root[keyPath: path] = spans
            return nil
        }
    }

    /// The four rules of a network.
    static func rules(_ name: String, _ path: WritableKeyPath<Root, NetworkRules>) -> [FormField] {
        [
            flag("\(name).isAllowedOnBattery", path.appending(path: \.isAllowedOnBattery)),
            optionalCount("\(name).dailyByteCountMax", path.appending(path: \.dailyByteCountMax), per: 1_000_000),
            hours("\(name).hours", path.appending(path: \.hours)),
            optionalChoice("\(name).qualityMin", path.appending(path: \.qualityMin)),
        ]
    }

    private static func sentence(_ unit: Int64) -> String {
        unit == 1 ? "A whole number, please." : "A number such as 50 or 1.5, please."
    }
}

/// What stands in the fields of a form, and what is wrong with it.
struct FormState: Sendable {
    /// By the field's name.
    var texts: [String: String] = [:]
    var errors: [String: String] = [:]

    /// A form that shows a value.
    init<Root>(_ root: Root, _ fields: [FormField<Root>]) {
        texts = Dictionary(fields.map { ($0.name, $0.text(root)) }, uniquingKeysWith: { first, _ in first })
    }

    /// What was typed, read into a value; the texts stay as they were typed.
    init<Root>(_ form: Form, into root: inout Root, _ fields: [FormField<Root>]) {
        for field in fields {
            let text = form[field.name]
            texts[field.name] = text
            errors[field.name] = field.read(text, &root)
        }
    }

    /// Puts faults beside the fields that they are about.
    /// - Parameter prefix: where the form's value stands in the app: "/policy/segments/news", or nothing.
    /// - Returns: what is about none of them.
    mutating func note(_ faults: [SettingFault], below prefix: String = "") -> [String] {
        var rest: [String] = []
        for fault in faults {
            let place = fault.pointer.dropFirst(fault.pointer.hasPrefix("\(prefix)/") ? prefix.count + 1 : 0)
                .split(separator: "/").joined(separator: ".")
            let field = texts.keys.filter { place == $0 || place.hasPrefix("\($0).") || $0.hasPrefix("\(place).") }
                .min { $0.count < $1.count }
            if let field, errors[field] == nil { errors[field] = fault.sentence } else { rest.append(fault.sentence) }
        }
        return rest
    }
}
