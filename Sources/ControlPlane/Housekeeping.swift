import ControlModel
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Forgets, once an hour, what has had its time: expired sessions and old telemetry.
struct Housekeeping: Sendable {
    static let interval = Duration.seconds(3_600)

    let repository: any Repository
    let timekeeper: any Timekeeping
    let retentionDays: Int

    /// Starts the rounds, the first at once; they end when the task is cancelled.
    func start() -> Task<Void, Never> {
        Task { @concurrent in
            while !Task.isCancelled {
                await round()
                do { try await timekeeper.sleep(for: Self.interval) } catch { return }
            }
        }
    }

    private func round() async {
        let now = timekeeper.now
        do {
            try await repository.removeSessions(expiredBefore: now)
            try await repository.removeTelemetry(before: now - Double(retentionDays) * 86_400)
        } catch {
            // Nothing is lost: what should have gone stays for an hour more and the next round tries again.
        }
    }
}
