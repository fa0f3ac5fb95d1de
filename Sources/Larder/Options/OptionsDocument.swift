import Foundation

/// A file of options: a property list, XML or binary, or JSON.
struct OptionsDocument {
    /// Larger files are no options.
    private static let byteCountMax = 1 << 20

    let path: String

    /// Reads the file; what stands against it is a finding. Performs disk I/O.
    func read(noting findings: inout OptionsFindings) -> OptionsSection? {
        let expected = "a property list or a JSON object of at most \(Self.byteCountMax) bytes"
        do {
            let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let byteCount = (attributes[.size] as? NSNumber)?.intValue ?? 0
            guard attributes[.type] as? FileAttributeType == .typeRegular else { throw Refusal("no file") }
            guard byteCount <= Self.byteCountMax else { throw Refusal("a file of \(byteCount) bytes") }
            guard let values = try Self.values(in: Data(contentsOf: file)) as? [String: Any] else {
                throw Refusal("no dictionary")
            }
            return OptionsSection(document: path, values: values)
        } catch let refusal as Refusal {
            findings.add(.init(document: path, keyPath: [], found: refusal.found, expected: expected))
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            findings.add(.init(document: path, keyPath: [], found: nil, expected: expected))
        } catch {
            let found = "not readable (\(error.localizedDescription))"
            findings.add(.init(document: path, keyPath: [], found: found, expected: expected))
        }
        return nil
    }

    private struct Refusal: Error {
        let found: String
        init(_ found: String) { self.found = found }
    }

    private static func values(in data: Data) throws -> Any {
        let isPropertyList = data.starts(with: Data("bplist".utf8)) || data.contains(UInt8(ascii: "<"))
        if isPropertyList, !data.drop(while: { $0 <= UInt8(ascii: " ") }).starts(with: Data("{".utf8)) {
            return try PropertyListSerialization.propertyList(from: data, format: nil)
        }
        return try JSONSerialization.jsonObject(with: data)
    }
}
