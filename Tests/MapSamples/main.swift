// swift-format-ignore-file
// An app of its time that does what each line of its input says, and tells what came of it.
import AkaCommon
import AkaMap
import Foundation
import FoundationNetworking
import VocSdk

// Whoever reads the lines gets each as it is printed, also those that the SDK prints.
setvbuf(stdout, nil, _IOLBF, 0)

func tell(_ line: String) { print(line) }

/// Tells what it hears.
class Listener: VocServiceDelegate {
    func vocService(_ vocService: VocService, didBecomeNotRegistered info: [AnyHashable: Any]) { tell("didBecomeNotRegistered") }
    func vocService(_ vocService: VocService, didFailToRegister error: Error) { tell("didFailToRegister \((error as NSError).code)") }
    func vocService(_ vocService: VocService, didRegister info: [AnyHashable: Any]) { tell("didRegister") }
    func vocService(_ vocService: VocService, didInitialize info: [AnyHashable: Any]) { tell("didInitialize") }
    func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?) {
        for file in added ?? [] { tell("added \(file.urlString) \((try? String(contentsOfFile: file.localPath, encoding: .utf8)) ?? "unreadable")") }
        for file in updated ?? [] { tell("updated \(file.urlString) \((try? String(contentsOfFile: file.localPath, encoding: .utf8)) ?? "unreadable")") }
        for file in removed ?? [] { tell("removed \(file.urlString) \(AkaMap.shared().cachedFile(forURL: file.urlString) == nil)") }
    }
}

let app = Guide2020(heard: tell)
let listener = Listener()
let queue = OperationQueue()
queue.maxConcurrentOperationCount = 1
app.takeService()
/// The service under the names of 2019.
let accelerator = AkaMap.shared() as! AkaWebAccelerator

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "configure": app.configure()
    case "configureWithPlist": app.configureWithPlist()
    case "listen": app.mapService?.setDelegate(listener, with: queue)
    case "stopListening": app.mapService?.setDelegate(nil, with: nil)
    case "subscribe": app.mapService?.subscribeSegments(Set(words.dropFirst()))
    case "subscribed": tell((app.subscribed() ?? []).sorted().joined(separator: " "))
    case "enabled": tell("\(app.isEnabled() ?? false)")
    case "state": tell("\(app.mapService?.state.rawValue ?? -1)")
    case "cached": tell((app.mapService?.cachedFiles() ?? []).map { $0.urlString }.sorted().joined(separator: " "))
    case "load":
        do {
            let data = try NSURLConnection.sendSynchronousRequest(URLRequest(url: URL(string: words[1])!), returning: nil)
            tell("loaded \(String(decoding: data, as: UTF8.self))")
        } catch { tell("failed") }
    case "event": app.timeAnEvent(); app.logAnEvent()
    case "debug": app.debug()
    case "olderNames": accelerator.printManifest(); accelerator.printCurrentCapabilities()
    case "print": AkaCommon.shared().debugConsolePrint("a line of the app's")
    case "quiet": AkaCommon.shared().debugConsoleEnabled = false
    case "sendAnalytics": app.sendAnalytics()
    case "quality": app.lookAtQuality()
    case "logFiles": tell((app.mapService?.sortedLogFilePaths ?? []).joined(separator: " "))
    case "forceDownload": app.mapService?.config.forceDownload = true
    case "forced": tell("\(app.mapService?.config.forceDownload ?? false)")
    case "unregister": app.mapService?.unregisterService { tell("unregistered \($0.map { "\($0)" } ?? "well")") }
    case "register": accelerator.register(withLicense: words[1], segments: Array(words.dropFirst(2))) { tell("registered \($0.map { "\(($0 as NSError).code)" } ?? "well")") }
    default: tell("what is \(line)?")
    }
    tell("done \(words.first ?? "")")
}
