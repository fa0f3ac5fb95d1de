import ControlModel
import Wire

/// An app's name and the limits of its downloads.
struct SettingsPage: Sendable {
    /// The form as text, as it was typed.
    struct Form: Sendable {
        var name: String
        var bundleID: String
        var fileMegabytesMax: String
        var concurrentDownloadsMax: String
        var syncIntervalSeconds: String
        var kilobytesPerSecondMax: String
        var isEnabled: Bool

        init(_ app: App) {
            name = app.name
            bundleID = app.bundleID
            fileMegabytesMax = String(app.policy.fileByteCountMax / 1_000_000)
            concurrentDownloadsMax = String(app.policy.concurrentDownloadsMax)
            syncIntervalSeconds = String(app.policy.syncIntervalSeconds)
            kilobytesPerSecondMax = app.policy.bytesPerSecondMax.map { String($0 / 1_000) } ?? ""
            isEnabled = app.policy.isEnabled
        }

        /// The policy the form describes.
        /// - Throws: a sentence for each field that is wrong, by the field's name.
        func policy(from stored: DownloadPolicy) throws(FieldErrors) -> DownloadPolicy {
            var errors: [String: String] = [:]
            func number(_ text: String, _ name: String, _ range: ClosedRange<Int64>) -> Int64 {
                guard let number = Int64(text), range.contains(number) else {
                    errors[name] = "A whole number from \(range.lowerBound) to \(range.upperBound), please."
                    return range.lowerBound
                }
                return number
            }
            var policy = stored
            policy.fileByteCountMax = number(fileMegabytesMax, "fileMegabytesMax", 1...100_000) * 1_000_000
            policy.concurrentDownloadsMax = Int(number(concurrentDownloadsMax, "concurrentDownloadsMax", 1...32))
            policy.syncIntervalSeconds = Int(number(syncIntervalSeconds, "syncIntervalSeconds", 30...604_800))
            policy.bytesPerSecondMax =
                kilobytesPerSecondMax.isEmpty
                ? nil : number(kilobytesPerSecondMax, "kilobytesPerSecondMax", 1...1_000_000) * 1_000
            policy.isEnabled = isEnabled
            guard errors.isEmpty else { throw FieldErrors(messages: errors) }
            return policy
        }
    }

    /// What is wrong with a form, by field.
    struct FieldErrors: Error {
        var messages: [String: String]
    }

    var session: AdminSession
    var app: App
    var form: Form
    var errors: [String: String] = [:]
    var notice: String?
    var error: String?

    var html: HTML {
        PageLayout(
            title: "Settings", session: session, app: app, tab: .settings,
            content: """
                \(FormView.notice(error, style: "bad"))\(FormView.notice(notice))
                <form method="post" action="\(PortalPath.settings(app.id))">\(FormView.token(session))
                <section class="card"><h2>App</h2><div class="fields">
                \(FormView.text("Name", name: "name", value: form.name, error: errors["name"]))
                \(FormView.text("Bundle identifier", name: "bundleID", value: form.bundleID, hint: "Devices must name the same.", error: errors["bundleID"]))
                </div><p class="soft small">App id: <code>\(app.id)</code></p></section>
                <section class="card"><h2>Downloads</h2><p class="soft">These limits travel with the next release.</p><div class="fields">
                \(FormView.text("Largest file, MB", name: "fileMegabytesMax", value: form.fileMegabytesMax, type: "number", hint: "Larger items are not pre-positioned.", error: errors["fileMegabytesMax"]))
                \(FormView.text("Downloads at once", name: "concurrentDownloadsMax", value: form.concurrentDownloadsMax, type: "number", error: errors["concurrentDownloadsMax"]))
                </div><div class="fields">
                \(FormView.text("Seconds between syncs", name: "syncIntervalSeconds", value: form.syncIntervalSeconds, type: "number", error: errors["syncIntervalSeconds"]))
                \(FormView.text("Speed limit, kB/s", name: "kilobytesPerSecondMax", value: form.kilobytesPerSecondMax, type: "number", hint: "Empty for none.", error: errors["kilobytesPerSecondMax"], isRequired: false))
                </div>
                <div class="field"><label class="choice"><input type="checkbox" name="isEnabled" value="true"\("checked", if: form.isEnabled)>
                The SDK is on. Off, devices pass every request through and download nothing.</label></div>
                <button class="button">Save settings</button></section></form>
                """
        ).html
    }
}
