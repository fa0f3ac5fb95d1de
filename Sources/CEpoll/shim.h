#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* The system declares it for programs that ask for its extensions, which Swift's modules do not. */
extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int cepoll_accept(int listener, struct sockaddr *address, socklen_t *length)
{
    return accept4(listener, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static inline int cepoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int cepoll_add(int poller, int descriptor, uint64_t token)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = token };
    return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int cepoll_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static const uint32_t cepoll_readable = EPOLLIN;
static const uint32_t cepoll_writable = EPOLLOUT;
static const uint32_t cepoll_ended = EPOLLRDHUP;
static const uint32_t cepoll_gone = EPOLLERR | EPOLLHUP;
