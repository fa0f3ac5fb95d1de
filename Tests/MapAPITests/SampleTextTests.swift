import Foundation
import Testing

/// Holds the samples' sources against the text of the retired SDK's guide, where it is at hand.
@Suite("The samples of the guide of 2020") struct SampleTextTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let seeds = ["../shared", "../../shared"].map { root.appending(path: "\($0)/seeds").standardized }
    private static let guide = seeds.compactMap { folder in
        try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .first { $0.lastPathComponent.hasPrefix("000_") }
    }.first

    /// What the sources have otherwise than the guide: text that Swift refuses on any host, or that UIKit alone gives a meaning.
    private static let deviations: [Int: (text: String, replacement: String)] = [18: ("@UIApplicationMain", "")]

    /// The text without what line breaks and pages of the guide have done to it.
    private static func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// The Swift samples of the guide, in order, without the bridging header.
    private static func printed(in guide: String) -> [String] {
        var (samples, current, isSwift, isCode) = ([String](), "", false, false)
        func end() {
            if !bare(current).isEmpty { samples.append(current) }
            current = ""
        }
        for line in guide.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.trimmingCharacters(in: .whitespaces.union(.init(charactersIn: "\u{C}")))
            if text.hasPrefix("```") {
                isCode.toggle()
            } else if let match = text.firstMatch(of: /^[#* ]*(Objective-C|Swift|HTML)\b[^:]*:[* ]*$/) {
                end()
                isSwift = match.output.1 == "Swift"
            } else if isCode {
                if isSwift { current += line + "\n" }
            } else if !text.isEmpty {
                end()
                isSwift = false
            }
        }
        end()
        return samples
    }

    /// The marked text of the sources, by the number of the sample.
    private static func compiled() throws -> [Int: String] {
        var found: [Int: String] = [:]
        let folder = root.appending(path: "Tests/MapSamples")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            var number: Int?
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let text = line.trimmingCharacters(in: .whitespaces)
                if let match = text.firstMatch(of: /^\/\/ sample (\d+)$/) {
                    number = Int(match.output.1)
                } else if text == "// end" {
                    number = nil
                } else if let number {
                    found[number, default: ""] += line + "\n"
                }
            }
        }
        return found
    }

    @Test("stand in the sources unchanged, all of them", .enabled(if: guide != nil))
    func unchanged() throws {
        let guide = try String(contentsOf: #require(Self.guide), encoding: .utf8)
        let printed = Self.printed(in: guide)
        let compiled = try Self.compiled()
        #expect(printed.count == 26)
        // The first one is a bridging header, which is not Swift.
        #expect(printed.first?.contains("#ifdef") == true)
        for (number, sample) in printed.enumerated().dropFirst().map({ ($0.offset + 1, $0.element) }) {
            var expected = Self.bare(sample)
            if let deviation = Self.deviations[number] {
                #expect(expected.contains(Self.bare(deviation.text)))
                expected = expected.replacing(Self.bare(deviation.text), with: Self.bare(deviation.replacement))
            }
            #expect(Self.bare(compiled[number] ?? "") == expected, "sample \(number)")
        }
        #expect(Set(compiled.keys) == Set(2...26))
    }
}
