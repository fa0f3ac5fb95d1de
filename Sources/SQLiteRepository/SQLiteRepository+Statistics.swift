public import ControlModel
import SQLiteDatabase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    public func statistics(
        appID: String, from start: Date, to end: Date, sliceCount: Int
    ) async throws -> AppStatistics {
        let span = StatisticsSpan(
            appID: appID, start: start.milliseconds, end: max(end.milliseconds, start.milliseconds + 1),
            sliceCount: min(max(sliceCount, 1), 1_000))
        return try await read { try StatisticsReader(connection: $0, span: span).read() }
    }
}
