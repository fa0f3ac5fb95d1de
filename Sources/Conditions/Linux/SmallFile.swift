#if os(Linux)
    import Glibc

    /// Files of a line or a few, as the kernel makes them up.
    enum SmallFile {
        private static let byteCountMax = 16_384

        /// The text without the blanks around it; `nil` when the file cannot be read.
        static func text(_ path: String) -> String? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: byteCountMax)
            let count = read(descriptor, &bytes, bytes.count)
            guard count >= 0 else { return nil }
            let isBlank = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
            let text = bytes[..<count].drop(while: isBlank)
            return String(
                decoding: text.prefix((text.lastIndex { !isBlank($0) } ?? -1) - text.startIndex + 1), as: UTF8.self)
        }

        /// The number that a file holds; `nil` when it holds none.
        static func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

        /// Whether there is something at a path.
        static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

        /// The names in a directory, sorted; none when it cannot be read.
        static func names(in path: String) -> [String] {
            guard let directory = opendir(path) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory), names.count < 1_024 {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if !name.hasPrefix(".") { names.append(name) }
            }
            return names.sorted()
        }
    }
#endif
