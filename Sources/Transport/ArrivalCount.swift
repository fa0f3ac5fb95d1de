import Primitives

/// The bytes that arrive on a loop, told to its observer once a round. Loop thread only.
final class ArrivalCount: @unchecked Sendable {  // confined to the loop thread
    let observer: any TransferObserver
    /// All bytes so far.
    private(set) var byteCount = 0
    private var told = 0
    /// Responses that have begun and not ended.
    private var responseCount = 0
    private var isRestrained = false

    init(_ observer: any TransferObserver) { self.observer = observer }

    /// Counts bytes of one transfer.
    func add(_ count: Int, isRestrained: Bool) {
        byteCount += count
        if isRestrained { self.isRestrained = true }
    }

    /// A response has begun.
    func begin() { responseCount += 1 }

    /// A response that had begun has ended.
    func end() {
        responseCount -= 1
        if responseCount == 0 { observer.fellSilent() }
    }

    /// Tells the observer what came since the last time.
    func tell(_ timekeeper: any Timekeeping) {
        guard byteCount > told else { return }
        observer.arrived(
            TransferArrival(uptime: timekeeper.uptime, byteCount: byteCount - told, isRestrained: isRestrained))
        told = byteCount
        isRestrained = false
    }
}
