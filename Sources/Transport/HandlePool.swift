import CCurl

/// Easy handles for reuse, last used first. Loop thread only.
///
/// Each handle carries what it learned of origins (Alt-Svc, RFC 7838; HSTS, RFC 6797). With a state directory, a handle that
/// learned something new is retired at once, which makes libcurl write its files, and new handles read them: knowledge
/// survives the process however it ends. Of handles that learn at the same time the last one's file stays; origins
/// advertise again with their next response.
struct HandlePool {
    private static let idleMax = 64
    private static let savedMax = 1_024

    private let stateDirectory: String?
    private var idle: [EasyHandle] = []
    /// Advertisements that are in the files already.
    private var saved: Set<String> = []

    init(stateDirectory: String?) { self.stateDirectory = stateDirectory }

    /// A handle with every option at its default but the ones about memory.
    mutating func take() throws(TransportError) -> EasyHandle {
        if let handle = idle.popLast() {
            // What it knows outlives a reset.
            enableMemory(of: handle)
            return handle
        }
        guard let handle = EasyHandle() else { throw TransportError(.other, "out of memory") }
        enableMemory(of: handle)
        if let stateDirectory {
            handle.setIfKnown(CURLOPT_ALTSVC, stateDirectory + "/alt-svc.txt")
            handle.setIfKnown(CURLOPT_HSTS, stateDirectory + "/hsts.txt")
        }
        return handle
    }

    /// Gives a handle back after a transfer that went well.
    /// - Parameter advertisement: origin and fields by which the origin told something worth remembering.
    mutating func put(_ handle: EasyHandle, advertisement: String?) {
        if stateDirectory != nil, let advertisement, !saved.contains(advertisement) {
            if saved.count >= Self.savedMax { saved.removeAll() }
            saved.insert(advertisement)
            handle.savesMemory = true
            enableMemory(of: handle)
            return  // its end writes the files
        }
        guard idle.count < Self.idleMax else { return }
        handle.reset()
        idle.append(handle)
    }

    /// Frees every handle.
    mutating func removeAll() { idle.removeAll() }

    private func enableMemory(of handle: EasyHandle) {
        let access = handle.savesMemory ? 0 : LCURL_ALTSVC_READONLYFILE
        handle.setIfKnown(CURLOPT_ALTSVC_CTRL, LCURL_ALTSVC_ALL | access)
        handle.setIfKnown(CURLOPT_HSTS_CTRL, LCURL_HSTS_ENABLE)
    }
}
