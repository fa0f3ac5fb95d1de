@_spi(Reflection) import Swift

/// A stored property of a class of Foundation's, found once by its name and read from then on where it lies.
///
/// A `Mirror` gives the same and takes ten microseconds for each property that it passes on its way.
struct StoredProperty: Sendable {
    /// The option of `_forEachField` that makes it look into a class.
    private static let inClass = _EachFieldOptions(rawValue: 1)

    private let offset: Int
    /// What the property is declared as.
    let type: any Any.Type

    /// Looks a property up; `nil` when the class stores none of that name.
    init?(_ name: String, of owner: AnyClass) {
        var found: (offset: Int, type: any Any.Type)?
        _ = _forEachField(of: owner, options: Self.inClass) { label, offset, type, _ in
            guard String(cString: label) == name else { return true }
            found = (offset, type)
            return false
        }
        guard let found else { return nil }
        (offset, type) = found
    }

    /// The value in an instance of the class that the property was looked up in, or of a class below it.
    ///
    /// The caller holds whatever guards the property, and knows that it is a strong one.
    func value(in object: AnyObject) -> Any {
        func boxed<Value>(_ type: Value.Type) -> Any { read(type, in: object) }
        return _openExistential(type, do: boxed)
    }

    /// Whether an instance holds an object that is known from elsewhere by a plain strong reference; reads no more than the
    /// bits, which a weak one would have others of.
    func isStrong(in object: AnyObject, holding known: AnyObject) -> Bool {
        read(UInt.self, in: object) == UInt(bitPattern: Unmanaged.passUnretained(known).toOpaque())
    }

    /// The value in an instance, as what the property is declared to be.
    func read<Value>(_ type: Value.Type, in object: AnyObject) -> Value {
        withExtendedLifetime(object) {
            UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()).load(fromByteOffset: offset, as: type)
        }
    }
}
