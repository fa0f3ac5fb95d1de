/* The current dispatch queue and a call on it, for the URLProtocol adapter: Foundation on Linux wants every client
   call on the queue that startLoading ran on, and Swift's Dispatch does not expose that queue.

   The functions are libdispatch's own under names of ours: an import of its header would clash with Swift's overlay. */
#ifndef LARDER_DISPATCH_QUEUE_H
#define LARDER_DISPATCH_QUEUE_H

/* The queue of the block that is running; not retained. */
extern void *_Nonnull larder_queue_current(void) __asm__("dispatch_get_current_queue");
extern void larder_queue_retain(void *_Nonnull queue) __asm__("dispatch_retain");
extern void larder_queue_release(void *_Nonnull queue) __asm__("dispatch_release");
/* Runs `work(context)` on the queue, later. */
extern void larder_queue_async(
    void *_Nonnull queue, void *_Nullable context, void (*_Nonnull work)(void *_Nullable)) __asm__("dispatch_async_f");

#endif
