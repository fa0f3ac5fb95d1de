import Testing

/// All of them one after the other: they measure memory and time, and share one Caddy.
@Suite("Transport", .serialized)
enum TransportTests {}
