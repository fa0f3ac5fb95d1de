import TestSupport
import Testing

/// Keeps tests that install a handler from running beside each other, those of other targets included.
struct ExclusiveInterception: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ExclusiveAccess.interception { try await function() }
    }
}

extension Trait where Self == ExclusiveInterception {
    /// One test at a time has the handler of intercepted tasks.
    static var exclusiveInterception: Self { Self() }
}
