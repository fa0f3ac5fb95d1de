/* The current dispatch queue and a call on it, for the URLProtocol adapter: Foundation on Linux wants every client
   call on the queue that startLoading ran on, and Swift's Dispatch does not expose that queue. */
