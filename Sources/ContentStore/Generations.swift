import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How often the entries of a URL may have changed, for every process that uses the store: a small file, mapped by all.
///
/// URLs share 4,096 slots by their hash. A writer raises `started` of the slots it touches before it commits, and `finished`
/// after. A reader looks at both before it reads the index: what it reads then is still true for as long as `started` is
/// what it was, if the two were equal. A writer that dies in between leaves them unequal, and nothing of that slot is kept
/// in memory until a process opens the store alone and evens them out.
final class Generations: @unchecked Sendable {  // what is mapped changes by atomic operations only
    static let slotCount = 4_096
    private static let byteCount = slotCount * MemoryLayout<Slot>.stride

    private struct Slot: ~Copyable {
        let started: Atomic<UInt64>
        let finished: Atomic<UInt64>
    }

    private let descriptor: Int32
    private let slots: UnsafeMutablePointer<Slot>

    /// Maps the file, made when missing; `nil` when it cannot be. Under the lock of an opening.
    init?(path: String) {
        let descriptor = Self.openFile(path)
        guard descriptor >= 0 else { return nil }
        guard let pages = Self.map(descriptor) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        slots = pages.bindMemory(to: Slot.self, capacity: Self.slotCount)
        // Each process holds the lock with others for as long as it has the store open: who gets it alone is alone.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { evenOut() }
        while flock(descriptor, LOCK_SH) != 0 && errno == EINTR {}
    }

    deinit {
        munmap(UnsafeMutableRawPointer(slots), Self.byteCount)
        close(descriptor)
    }

    private static func openFile(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #else
            Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #endif
    }

    private static func map(_ descriptor: Int32) -> UnsafeMutableRawPointer? {
        #if os(Linux)
            // A page that the disk has no room for would end the process that touches it.
            guard posix_fallocate(descriptor, 0, off_t(byteCount)) == 0 else { return nil }
        #else
            guard ftruncate(descriptor, off_t(byteCount)) == 0 else { return nil }
        #endif
        let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        return pages == MAP_FAILED ? nil : pages
    }

    private func evenOut() {
        for slot in 0..<Self.slotCount {
            let started = slots[slot].started.load(ordering: .sequentiallyConsistent)
            slots[slot].finished.store(started, ordering: .sequentiallyConsistent)
        }
    }

    static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash & UInt64(slotCount - 1)) }

    /// What to keep beside what is read from the index next; `nil` while a writer is at work, or one has died.
    func current(_ hash: UInt64) -> UInt64? {
        let slot = Self.slot(of: hash)
        let finished = slots[slot].finished.load(ordering: .sequentiallyConsistent)
        let started = slots[slot].started.load(ordering: .sequentiallyConsistent)
        return started == finished ? started : nil
    }

    /// Whether nobody has begun to change an entry of the slot since ``current(_:)`` gave this number.
    func isCurrent(_ generation: UInt64, _ hash: UInt64) -> Bool {
        slots[Self.slot(of: hash)].started.load(ordering: .sequentiallyConsistent) == generation
    }

    /// A writer is about to commit.
    func start(_ touched: borrowing SlotSet) {
        touched.visit { slots[$0].started.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    }

    /// The writer has committed, or given up.
    func finish(_ touched: borrowing SlotSet) {
        touched.visit { slots[$0].finished.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    }

    /// Everything may have changed.
    func startAnew() {
        var all = SlotSet()
        for slot in 0..<Self.slotCount { all.insert(slot) }
        start(all)
        finish(all)
    }
}

/// Some of the slots; 512 bytes, however many.
struct SlotSet {
    private var words: [UInt64] = []

    mutating func insert(_ slot: Int) {
        if words.isEmpty { words = Array(repeating: 0, count: Generations.slotCount / 64) }
        words[slot >> 6] |= 1 << UInt64(slot & 63)
    }

    func visit(_ body: (Int) -> Void) {
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                body(index << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
