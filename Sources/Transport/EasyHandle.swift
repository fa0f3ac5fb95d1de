import CCurl
import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One libcurl easy handle with what must live as long as it does. Loop thread only.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    /// Whether the end of the handle writes what it learned to the files of its memory.
    var savesMemory = false
    private var fieldList: UnsafeMutablePointer<curl_slist>?

    /// Creates a handle; `nil` when memory is exhausted.
    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        // libcurl writes the HSTS file whatever its read-only flag says, unless the memory is dropped first.
        if !savesMemory { setIfKnown(CURLOPT_HSTS_CTRL, 0) }
        curl_easy_cleanup(pointer)
        curl_slist_free_all(fieldList)
        errorText.deallocate()
    }

    /// Sets every option back, keeping connections, sessions and what the handle remembers of origins.
    func reset() {
        curl_easy_reset(pointer)
        curl_slist_free_all(fieldList)
        fieldList = nil
        errorText[0] = 0
    }

    /// What libcurl says about the last failure; the name of the code when it says nothing.
    func explanation(of code: CURLcode) -> String {
        let text = String(cString: errorText)
        // A URL or a proxy in the message could carry a password or a query, which errors never show.
        guard text.isEmpty || text.contains("://") || text.contains("@") || text.contains("?") else { return text }
        return String(cString: curl_easy_strerror(code))
    }

    /// Where libcurl writes its messages.
    func setErrorBuffer() throws(TransportError) {
        try check(lcurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText), CURLOPT_ERRORBUFFER)
    }

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(lcurl_set_long(pointer, option, value), option)
    }

    func set(_ option: CURLoption, _ value: Bool) throws(TransportError) { try set(option, value ? 1 : 0) }

    func set(_ option: CURLoption, offset value: Int64) throws(TransportError) {
        try check(lcurl_set_offset(pointer, option, curl_off_t(value)), option)
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try check(lcurl_set_text(pointer, option, value), option)
    }

    func set(_ option: CURLoption, data value: UnsafeMutableRawPointer) throws(TransportError) {
        try check(lcurl_set_pointer(pointer, option, value), option)
    }

    func set(_ option: CURLoption, function value: curl_write_callback) throws(TransportError) {
        try check(lcurl_set_transfer(pointer, option, value), option)
    }

    func set(seek value: curl_seek_callback) throws(TransportError) {
        try check(lcurl_set_seek(pointer, value), CURLOPT_SEEKFUNCTION)
    }

    func set(prerequest value: curl_prereq_callback) throws(TransportError) {
        try check(lcurl_set_prerequest(pointer, value), CURLOPT_PREREQFUNCTION)
    }

    /// Sets an option that the library at hand may lack, in which case nothing changes.
    func setIfKnown(_ option: CURLoption, _ value: Int) { _ = lcurl_set_long(pointer, option, value) }

    /// Sets a text option that the library at hand may lack, in which case nothing changes.
    func setIfKnown(_ option: CURLoption, _ value: String) { _ = lcurl_set_text(pointer, option, value) }

    /// The lines of the request's head that libcurl adds to its own.
    func setFields(_ lines: [String]) throws(TransportError) {
        curl_slist_free_all(fieldList)
        fieldList = nil
        for line in lines {
            guard let longer = appended(line) else {
                throw TransportError(.other, "out of memory")
            }
            fieldList = longer
        }
        try check(lcurl_set_list(pointer, CURLOPT_HTTPHEADER, fieldList), CURLOPT_HTTPHEADER)
    }

    /// The list of lines with one more, as the bytes that it stands for; `nil` when there is no memory.
    private func appended(_ line: String) -> UnsafeMutablePointer<curl_slist>? {
        guard let bytes = FieldText.bytes(of: line) else { return curl_slist_append(fieldList, line) }
        return (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            curl_slist_append(fieldList, $0.baseAddress)
        }
    }

    /// A number that libcurl counted; 0 when it has none.
    func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return lcurl_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// A small number that libcurl counted; 0 when it has none.
    func smallNumber(_ info: CURLINFO) -> Int {
        var value = 0
        return lcurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// A text that libcurl holds; empty when it has none.
    func text(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        guard lcurl_get_text(pointer, info, &value) == CURLE_OK, let value else { return "" }
        return String(cString: value)
    }

    /// Whether what is at the other end of the connection answers for somebody else: a proxy, or a relay on this machine.
    var endsAtRelay: Bool {
        if lcurl_uses_proxy(pointer) != 0 { return true }
        let peer = text(CURLINFO_PRIMARY_IP)
        return peer.hasPrefix("127.") || peer == "::1" || peer.isEmpty
    }

    /// The kernel's round trip of the connection that was used last; `nil` when there is none to tell of.
    var kernelRoundTrip: (smoothed: Duration, deviation: Duration)? {
        var smoothed: UInt32 = 0, deviation: UInt32 = 0
        guard lcurl_round_trip(pointer, &smoothed, &deviation) != 0 else { return nil }
        return (.microseconds(Int64(smoothed)), .microseconds(Int64(deviation)))
    }

    /// The URL in use, which libcurl may have moved to TLS (HSTS, RFC 6797).
    var effectiveURL: HTTPURL? { HTTPURL(text(CURLINFO_EFFECTIVE_URL)) }

    /// The certificates that the server sent, leaf first, as DER; needs `CURLOPT_CERTINFO`.
    func certificates() -> [Data] {
        var info: UnsafeMutablePointer<curl_certinfo>?
        guard lcurl_get_certificates(pointer, &info) == CURLE_OK, let info = info?.pointee else { return [] }
        return (0..<Int(info.num_of_certs)).compactMap { index in
            var line = info.certinfo[index]
            while let entry = line?.pointee {
                let text = String(cString: entry.data)
                if text.hasPrefix("Cert:") { return PEM.firstCertificate(in: text) }
                line = entry.next
            }
            return nil
        }
    }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code != CURLE_OK else { return }
        let reason = String(cString: curl_easy_strerror(code))
        throw TransportError(.other, "libcurl refuses option \(option.rawValue): \(reason)")
    }
}
