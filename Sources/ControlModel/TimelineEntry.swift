public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One line of what a device did: an event of the app, or an exchange.
public enum TimelineEntry: Sendable, Hashable {
    case event(AppEvent)
    case exchange(ExchangeRecord)

    /// When it began.
    public var date: Date {
        switch self {
        case .event(let event): event.date
        case .exchange(let exchange): exchange.date
        }
    }
}
