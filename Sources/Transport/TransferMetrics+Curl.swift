import CCurl

extension TransferMetrics {
    /// What libcurl measured on a handle so far.
    init(of handle: EasyHandle) {
        self.init()
        nameLookupMicroseconds = handle.number(CURLINFO_NAMELOOKUP_TIME_T)
        connectMicroseconds = handle.number(CURLINFO_CONNECT_TIME_T)
        tlsMicroseconds = handle.number(CURLINFO_APPCONNECT_TIME_T)
        requestSentMicroseconds = handle.number(CURLINFO_PRETRANSFER_TIME_T)
        firstByteMicroseconds = handle.number(CURLINFO_STARTTRANSFER_TIME_T)
        totalMicroseconds = handle.number(CURLINFO_TOTAL_TIME_T)
        // Since 8.7 the size of the request includes its body.
        let bodyByteCount = CurlLibrary.versionNumber >= 0x080700 ? 0 : handle.number(CURLINFO_SIZE_UPLOAD_T)
        sentByteCount = Int64(handle.smallNumber(CURLINFO_REQUEST_SIZE)) + bodyByteCount
        receivedByteCount =
            Int64(handle.smallNumber(CURLINFO_HEADER_SIZE)) + handle.number(CURLINFO_SIZE_DOWNLOAD_T)
        switch handle.smallNumber(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): httpVersion = "1.0"
        case Int(CURL_HTTP_VERSION_1_1): httpVersion = "1.1"
        case Int(CURL_HTTP_VERSION_2_0): httpVersion = "2"
        case Int(CURL_HTTP_VERSION_3): httpVersion = "3"
        default: httpVersion = ""
        }
        remoteAddress = handle.text(CURLINFO_PRIMARY_IP)
        isReusedConnection = handle.smallNumber(CURLINFO_NUM_CONNECTS) == 0 && !httpVersion.isEmpty
    }
}
