import Larder
import Testing

@testable import VocCommon

private func status(
    _ registration: Prepositioner.RegistrationState, release: Int? = nil, isSyncing: Bool = false,
    items: [Prepositioner.ItemState] = [], failure: String? = nil
) -> Prepositioner.Status {
    Prepositioner.Status(
        registration: registration, subscribedSegments: [], releaseVersion: release,
        items: items.enumerated().map { index, state in
            .init(
                segment: "news", version: 1, url: "http://app.test/\(index)", state: state, byteCount: 1,
                bytesReceived: 0, isEssential: true, failure: nil)
        }, activeVersions: [:], isSyncing: isSyncing, isEnabled: true, lastFailure: failure)
}

private let registered = Prepositioner.RegistrationState.registered(deviceID: "d", deviceToken: "t", appID: "a")

@Suite("What a delegate is told of the service") struct ServiceEventsTests {
    @Test("tells of registration and of the first configuration once")
    func once() {
        var events = ServiceEvents()
        #expect(events.handle(status(.notRegistered)) == [])
        #expect(events.handle(status(registered)) == [.didRegister])
        #expect(events.handle(status(registered, release: 1)) == [.didInitialize])
        #expect(events.handle(status(registered, release: 2)) == [])
    }

    @Test("tells of both at once at a later start")
    func laterStart() {
        var events = ServiceEvents()
        #expect(events.handle(status(registered, release: 7)) == [.didRegister, .didInitialize])
    }

    @Test("tells of a failure once for each reason, with the code of its kind")
    func failures() {
        var events = ServiceEvents()
        #expect(
            events.handle(status(.notRegistered, failure: "no route")) == [
                .didFailToRegister(.registerFailedOther, "no route")
            ])
        #expect(events.handle(status(.notRegistered, failure: "no route")) == [])
        #expect(
            events.handle(status(.badCredentials("unknown key"))) == [
                .didFailToRegister(.registerFailedBadCredentials, "unknown key")
            ])
        #expect(events.handle(status(registered)) == [.didRegister])
    }

    @Test("tells of a registration that the server withdrew, and of the next one")
    func withdrawn() {
        var events = ServiceEvents()
        #expect(events.handle(status(.withdrawn)) == [])
        _ = events.handle(status(registered, release: 1))
        #expect(events.handle(status(.withdrawn)) == [.didBecomeNotRegistered])
        #expect(events.handle(status(.withdrawn)) == [])
        #expect(events.handle(status(registered, release: 1)) == [.didRegister])
    }

    @Test("tells that the device is no longer registered when the app unregisters, and of the next registration")
    func unregistered() {
        var events = ServiceEvents()
        _ = events.handle(status(registered, release: 1))
        #expect(events.handle(status(.notRegistered)) == [.didBecomeNotRegistered])
        #expect(events.handle(status(.notRegistered)) == [])
        #expect(events.handle(status(registered, release: 1)) == [.didRegister])
    }

    @Test("has the state that the retired SDK would have")
    func states() {
        #expect(VOCServiceState(status(.notRegistered)) == .notRegistered)
        #expect(VOCServiceState(status(.badCredentials("x"))) == .notRegistered)
        #expect(VOCServiceState(status(registered)) == .initializing)
        #expect(VOCServiceState(status(registered, release: 1)) == .idle)
        #expect(VOCServiceState(status(registered, release: 1, isSyncing: true, items: [.ready])) == .idle)
        let downloading = status(registered, release: 1, isSyncing: true, items: [.ready, .downloading])
        #expect(VOCServiceState(downloading) == .downloading)
    }
}
