import Testing
import Wire

@Suite("Outcomes of exchanges")
struct OutcomeTests {
    @Test("have the retired SDK's names: from the device, from the network, neither")
    func analyticsNames() {
        let named = Dictionary(grouping: ExchangeRecord.Outcome.allCases) { $0.analyticsName ?? "none" }
        #expect(named["CACHE_FETCH"] == [.pinnedHit, .cacheHit, .revalidated, .staleOnError])
        #expect(named["CACHE_MISS"] == [.miss])
        #expect(named["none"] == [.passedThrough, .failed])
    }

    @Test("are from the device when the retired SDK says CACHE_FETCH", arguments: ExchangeRecord.Outcome.allCases)
    func fromDevice(outcome: ExchangeRecord.Outcome) {
        #expect(outcome.isFromDevice == (outcome.analyticsName == "CACHE_FETCH"))
    }
}
