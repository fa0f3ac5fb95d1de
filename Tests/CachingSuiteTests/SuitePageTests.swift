import Foundation
import TestSupport
import Testing

/// Holds the page against the tables; the suite's own tests hold the tables against the fronts.
@Suite struct SuitePageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/caching.md")

    @Test("the page has the suite's size and result")
    func isUpToDate() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(page.range(of: SuitePage.beginning)), end = try #require(page.range(of: SuitePage.end))
        let text = "\n\n\(SuitePage.text(of: CachingCase.all))\n\n"
        // `make suite` writes the page anew.
        if ProcessInfo.processInfo.environment["LARDER_SUITE"] != nil {
            try page.replacingCharacters(in: start.upperBound..<end.lowerBound, with: text)
                .write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(page[start.upperBound..<end.lowerBound] == text, "run `make suite` and commit the page")
        }
    }
}
