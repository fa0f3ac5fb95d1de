public import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Primitives

/// The content on the device, as an app may look at it.
///
/// All of it performs disk I/O on the calling thread. Without a usable disk there is nothing to see.
extension LarderClient {
    private static let pageCount = 500

    /// Everything that can be answered from the device, completed items only.
    public func cachedContent() -> [CachedContent] {
        guard let store = services.store else { return [] }
        var found: [CachedContent] = []
        var lastID: Int64 = 0
        do throws(StoreError) {
            while true {
                let page = try store.entries(after: lastID, limit: Self.pageCount)
                guard let last = page.last else { return found }
                found += page.lazy.filter { !$0.isStaged }.compactMap { Self.content(of: $0, in: store) }
                lastID = last.id
            }
        } catch {
            services.log.once("content", "the content on the device cannot be listed: \(error)")
            return found
        }
    }

    /// What can be answered for a URL; the newest response when there are several variants.
    public func cachedContent(for url: String) -> CachedContent? {
        guard let store = services.store, let address = HTTPURL(url) else { return nil }
        do throws(StoreError) {
            let entries = try store.entries(for: address).sorted { $0.responseTime > $1.responseTime }
            return entries.lazy.compactMap { Self.content(of: $0, in: store) }.first
        } catch {
            services.log.once("content", "the content on the device cannot be read: \(error)")
            return nil
        }
    }

    /// The changes from now on. A listener that lags by 1,024 changes loses the oldest.
    public func cachedContentChanges() -> AsyncStream<CachedContentChange> {
        guard let store = services.store else { return AsyncStream { $0.finish() } }
        let changes = store.changes()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            let work = Task {
                for await change in changes {
                    if let told = Self.told(change, in: store) { continuation.yield(told) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    /// Bytes of bodies on the device: those of segments and those that passed by.
    public var cacheByteCount: Int64 {
        guard let store = services.store else { return 0 }
        do throws(StoreError) {
            let usage = try store.usage()
            return usage.pinnedByteCount + usage.opportunisticByteCount
        } catch {
            services.log.once("content", "the use of the disk cannot be read: \(error)")
            return 0
        }
    }

    /// Most bytes of bodies on the device: those of segments and those that passed by.
    ///
    /// Setting shares the bytes out in the proportion that the two budgets had at the start; shrinking evicts.
    public var cacheByteCountMax: Int64 {
        get { services.cacheByteCountMax.withLock { $0 } }
        set {
            guard newValue >= 0, let store = services.store else { return }
            let budgets = services.configuration
            let total = budgets.pinnedByteCountMax + budgets.opportunisticByteCountMax
            let share = total > 0 ? Double(budgets.opportunisticByteCountMax) / Double(total) : 0
            let opportunistic = Int64((Double(newValue / 1_024) * share).rounded()) * 1_024
            do throws(StoreError) {
                try store.setBudgets(
                    pinnedByteCountMax: newValue - opportunistic, opportunisticByteCountMax: opportunistic)
                services.cacheByteCountMax.withLock { $0 = newValue }
            } catch {
                services.log.write("the size of the cache stays as it was: \(error)")
            }
        }
    }

    /// Removes everything from the device; what subscribed segments hold is downloaded again.
    /// - Throws: ``StoreError`` when the disk fails.
    public func removeCachedContent() throws(StoreError) {
        try services.store?.removeAll()
    }

    /// Free bytes of the disk that the content is on; `nil` when it cannot be asked.
    public var freeDiskByteCount: Int64? {
        let path = services.configuration.resolvedDirectory
        // Nothing is lost: the caller learns that the disk cannot be asked.
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    // MARK: - Parts

    private static func content(of entry: StoreEntry, in store: ContentStore) -> CachedContent? {
        // An entry whose body has gone meanwhile is not there any more: nothing to tell.
        guard !entry.isPart, (try? store.body(of: entry)) != nil else { return nil }
        let response = HTTPCache.visible(entry.response)
        var fields: [HTTPFieldName: String] = [:]
        for field in response.fields { fields[field.name] = response.fields[field.name] }
        let type = entry.response.fields.values(of: .contentType).first?.prefix { $0 != ";" }
        return CachedContent(
            url: entry.url.string,
            responseFields: Dictionary(
                uniqueKeysWithValues: fields.map { ($0.key.rawName, FieldText.readable($0.value)) }),
            mimeType: type.map { $0.trimmingCharacters(in: .whitespaces) } ?? "application/octet-stream",
            byteCount: entry.bodyByteCount, isPinned: entry.isPinned, file: BodyFile(entry, in: store))
    }

    private static func told(_ change: StoreChange, in store: ContentStore) -> CachedContentChange? {
        switch change {
        case .added(let entry): content(of: entry, in: store).map { .added($0) }
        case .updated(let entry): content(of: entry, in: store).map { .updated($0) }
        case .removed(let url, _): .removed(url: url.string)
        }
    }
}
