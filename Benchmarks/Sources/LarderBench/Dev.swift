import Foundation
enum Dev {
    static func hold(_ dir: String) throws {
        let caddy = try CaddyOrigin(directory: dir, address: "10.79.9.1")
        let segments = try BulkContent.all.map { try $0.write(to: caddy.root, origin: caddy.url) }
        try BulkContent.publish(segments, to: caddy.root)
        FileHandle.standardOutput.write(Data("\(caddy.url) \(caddy.authorityFile)\n".utf8))
        sleep(100000)
    }
}
