#if !canImport(UIKit)
    /// Stands in for UIKit's type, which the SDK only takes and does not look at, on hosts without it.
    open class UIApplication {
        /// Creates an application.
        public init() {}
    }
#endif
