import CCurl

/// What the loop's observer is told of one exchange. Loop thread only.
struct ExchangeSighting {
    /// After a reader has kept the network waiting, what comes first was held back; it says nothing of the network.
    private static let restraintAfterPause = Duration.milliseconds(500)

    /// The body is decoded, so that the bytes handed over are not those of the network.
    var isCoded = false
    private let handle: EasyHandle
    private let arrivals: ArrivalCount
    private let hasLimit: Bool
    /// A body that goes out first would count as waiting.
    private let tellsAnswer: Bool
    private var sending: (at: Duration, byteCount: Int)?
    private var answer: TransferAnswer?
    private var hasBegun = false
    private var codedByteCount: Int64 = 0
    private var restrainedUntil = Duration.zero

    init(of exchange: CurlExchange, on handle: EasyHandle, _ arrivals: ArrivalCount) {
        self.handle = handle
        self.arrivals = arrivals
        hasLimit = exchange.request.receiveBytesPerSecondMax != nil
        tellsAnswer = exchange.feed == nil
    }

    /// The request goes out, for the first time or once more.
    mutating func sent(at uptime: Duration) {
        sending = (uptime, arrivals.byteCount)
    }

    /// A line of a head. The first one of any head ends the wait: an interim response has travelled as far as a final one.
    mutating func received(lineOf count: Int, at uptime: Duration) {
        if !hasBegun { begin(at: uptime) }
        arrivals.add(count, isRestrained: hasLimit)
    }

    /// Bytes of the body as they were handed over.
    mutating func received(bodyOf count: Int, at uptime: Duration) {
        var count = count
        if isCoded {
            let total = handle.number(CURLINFO_SIZE_DOWNLOAD_T)
            count = Int(max(0, total - codedByteCount))
            codedByteCount = total
        }
        arrivals.add(count, isRestrained: hasLimit || uptime < restrainedUntil)
    }

    /// The reader takes bytes again.
    mutating func resumed(at uptime: Duration) { restrainedUntil = uptime + Self.restraintAfterPause }

    /// The exchange is over; the handle is off the loop.
    mutating func ended() {
        if hasBegun { arrivals.end() }
        hasBegun = false
        // Only now does libcurl tell the socket of a connection that was there before.
        guard var answer else { return }
        if !handle.endsAtRelay, let (smoothed, deviation) = handle.kernelRoundTrip {
            answer.way = .kernel(smoothed, deviation: deviation)
        }
        arrivals.observer.answered(answer)
        self.answer = nil
    }

    private mutating func begin(at uptime: Duration) {
        hasBegun = true
        arrivals.begin()
        guard tellsAnswer, let sending else { return }
        var answer = TransferAnswer(
            sentAt: sending.at, wait: uptime - sending.at, otherByteCount: arrivals.byteCount - sending.byteCount)
        guard handle.smallNumber(CURLINFO_NUM_CONNECTS) > 0 else {
            self.answer = answer
            return
        }
        let connected = handle.number(CURLINFO_CONNECT_TIME_T)
        let secured = handle.number(CURLINFO_APPCONNECT_TIME_T)
        let transport = handle.endsAtRelay ? 0 : connected - handle.number(CURLINFO_NAMELOOKUP_TIME_T)
        let longest = max(transport, secured > 0 ? secured - connected : 0)
        if longest > 0 { answer.way = .handshake(.microseconds(longest)) }
        arrivals.observer.answered(answer)
    }
}
