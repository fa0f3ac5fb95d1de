#if os(Linux)
    public import LocalProxy

    extension LarderClient {
        /// Starts an HTTP proxy in front of the SDK, for a web view or another program on this machine.
        ///
        /// Keep the proxy for as long as it is used, and stop it before the client is shut down. Whatever else runs on the
        /// machine can use it too while it listens.
        /// - Throws: ``LocalProxyError`` when the address cannot be had.
        public func startProxy(_ configuration: LocalProxy.Configuration = .init()) throws(LocalProxyError)
            -> LocalProxy
        {
            let proxy = LocalProxy(
                configuration: configuration, handler: services.accelerator, timekeeper: services.timekeeper)
            try proxy.start()
            return proxy
        }
    }
#endif
