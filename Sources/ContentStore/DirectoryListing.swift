#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reading the names in a directory.
enum DirectoryListing {
    #if canImport(Darwin)
        typealias Stream = UnsafeMutablePointer<DIR>
    #else
        typealias Stream = OpaquePointer
    #endif

    /// The next name that does not start with a dot; `nil` at the end.
    static func nextName(_ stream: Stream) -> String? {
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { return name }
        }
        return nil
    }

    /// Every name in a directory; empty when it cannot be read.
    static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let name = nextName(stream) { names.append(name) }
        return names
    }
}
