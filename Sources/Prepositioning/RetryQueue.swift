/// Items that wait for their next try, the earliest first: a binary heap, so that each costs little however many wait.
struct RetryQueue: Sendable, Hashable {
    /// One item by its place in the order of download.
    struct Entry: Sendable, Hashable {
        var due: Duration
        var position: Int
    }

    private var heap: [Entry] = []

    /// The item that is due first.
    var first: Entry? { heap.first }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var earliest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].due < heap[earliest].due
            {
                earliest = child
            }
            guard earliest != index else { return }
            heap.swapAt(index, earliest)
            index = earliest
        }
    }
}
