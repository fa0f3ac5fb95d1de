/*
 * LinkEmulator: runs a command behind an emulated access link.
 *
 *   LinkEmulator ROUND_TRIP_MS DOWN_KBIT_S UP_KBIT_S LOSS_PERCENT SUBNET COMMAND [ARGUMENT ...]
 *
 * The command gets a network namespace of its own, whose only way out is a TUN device at 10.79.SUBNET.2; this host is
 * 10.79.SUBNET.1 for it. What the one device sends comes out of the other half a round trip later, one IP packet after the
 * other at the link's rate: every byte of the packet counts, headers of IP, TCP and UDP too. Packets that would wait for
 * more than a second are dropped, as are as many others as the loss asks for, always the same ones. Senders use CUBIC, the
 * usual congestion control, where the kernel has it. The link ends with the command and its exit status. Needs root, /dev/net/tun and iproute2.
 *
 * On SIGHUP the link becomes what the file in $LINK_FILE says: the first four numbers, in that order. Before it ends, it says on
 * standard error how late it delivered packets on average because the machine was busy, in milliseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PACKET_BYTES_MAX = 1500, QUEUE_PACKETS_MAX = 1 << 15 };
static const int64_t SECOND = 1000000000, QUEUE_NANOSECONDS_MAX = 1000000000;

struct packet {
    int64_t due;
    ssize_t byte_count;
    unsigned char bytes[PACKET_BYTES_MAX];
};

/* One direction: a queue of packets, each due when the line has carried it and it has travelled. */
struct direction {
    int source, target;
    double nanoseconds_per_byte;
    int64_t travel, line_free;
    struct packet *packets;
    uint32_t first, end;
    int64_t lateness, packet_count;
};

static volatile sig_atomic_t has_changed;

static void note_change(int signal) { has_changed = signal; }

static void fail(const char *what) {
    fprintf(stderr, "LinkEmulator: %s: %s\n", what, strerror(errno));
    exit(70);
}

static int64_t uptime(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

/* Makes a device in the current namespace, with the two ends of its line. */
static int make_device(const char *name, const char *here, const char *there) {
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) fail("/dev/net/tun");
    struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (ioctl(device, TUNSETIFF, &request) < 0) fail("TUNSETIFF");
    char command[256];
    snprintf(command, sizeof command,
        "ip link set lo up; ip addr add %s peer %s dev %s && ip link set dev %s mtu %d up && "
        "{ ip route replace %s dev %s congctl cubic 2>/dev/null || true; }",
        here, there, name, name, PACKET_BYTES_MAX, there, name);
    if (system(command) != 0) {
        errno = EINVAL;
        fail(command);
    }
    return device;
}

static void take_in(struct direction *way, double loss) {
    while (way->end - way->first < QUEUE_PACKETS_MAX) {
        struct packet *packet = &way->packets[way->end % QUEUE_PACKETS_MAX];
        packet->byte_count = read(way->source, packet->bytes, sizeof packet->bytes);
        if (packet->byte_count <= 0) return;
        int64_t now = uptime();
        int64_t start = way->line_free > now ? way->line_free : now;
        if (start - now > QUEUE_NANOSECONDS_MAX || drand48() < loss) continue;
        way->line_free = start + (int64_t)(packet->byte_count * way->nanoseconds_per_byte);
        packet->due = way->line_free + way->travel;
        way->end++;
    }
}

static void give_out(struct direction *way) {
    int64_t now = uptime();
    for (; way->first != way->end; way->first++) {
        struct packet *packet = &way->packets[way->first % QUEUE_PACKETS_MAX];
        if (packet->due > now) return;
        way->lateness += now - packet->due;
        way->packet_count++;
        /* A packet that the other side has no room for is lost, as on any link. */
        if (write(way->target, packet->bytes, packet->byte_count) < 0 && errno != EAGAIN && errno != ENOBUFS) return;
    }
}

/* Nanoseconds until a packet is due, at most a few milliseconds: the command's end is looked for in between. */
static int64_t pause_of(const struct direction *way, int64_t pause) {
    if (way->first == way->end) return pause;
    int64_t wait = way->packets[way->first % QUEUE_PACKETS_MAX].due - uptime();
    return wait < 0 ? 0 : wait < pause ? wait : pause;
}

static void shape(struct direction *ways, double round_trip, double down, double up) {
    ways[0].nanoseconds_per_byte = 8e6 / up;
    ways[1].nanoseconds_per_byte = 8e6 / down;
    for (int i = 0; i < 2; i++) ways[i].travel = (int64_t)(round_trip * 1e6 / 2);
}

static void change(struct direction *ways, double *loss) {
    double round_trip, down, up, percent;
    FILE *file = getenv("LINK_FILE") ? fopen(getenv("LINK_FILE"), "r") : NULL;
    if (!file || fscanf(file, "%lf %lf %lf %lf", &round_trip, &down, &up, &percent) != 4) fail("LINK_FILE");
    fclose(file);
    shape(ways, round_trip, down, up);
    *loss = percent / 100;
}

int main(int argument_count, char **arguments) {
    if (argument_count < 7) {
        fprintf(stderr, "usage: LinkEmulator ROUND_TRIP_MS DOWN_KBIT_S UP_KBIT_S LOSS_PERCENT SUBNET COMMAND ...\n");
        return 64;
    }
    double loss = atof(arguments[4]) / 100;
    int subnet = atoi(arguments[5]);
    char host[32], client[32], outer_name[IFNAMSIZ];
    snprintf(host, sizeof host, "10.79.%d.1", subnet);
    snprintf(client, sizeof client, "10.79.%d.2", subnet);
    snprintf(outer_name, sizeof outer_name, "larder%d", subnet);

    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int outer = make_device(outer_name, host, client);
    if (home < 0 || unshare(CLONE_NEWNET) < 0) fail("a network namespace");
    int inner = make_device("line", client, host);
    /* Whoever started this program may have blocked the signal. */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGHUP, note_change);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(arguments[6], arguments + 6);
        fail(arguments[6]);
    }
    if (setns(home, CLONE_NEWNET) < 0) fail("setns");

    struct direction ways[2] = {
        { .source = inner, .target = outer },
        { .source = outer, .target = inner },
    };
    shape(ways, atof(arguments[1]), atof(arguments[2]), atof(arguments[3]));
    for (int i = 0; i < 2; i++) {
        ways[i].packets = calloc(QUEUE_PACKETS_MAX, sizeof(struct packet));
        if (!ways[i].packets) fail("memory");
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        int64_t pause = 5000000;
        if (has_changed) {
            has_changed = 0;
            change(ways, &loss);
        }
        for (int i = 0; i < 2; i++) {
            take_in(&ways[i], loss);
            give_out(&ways[i]);
            pause = pause_of(&ways[i], pause);
        }
        struct pollfd watched[2] = { { .fd = inner, .events = POLLIN }, { .fd = outer, .events = POLLIN } };
        struct timespec timeout = { .tv_nsec = pause };
        ppoll(watched, 2, &timeout, NULL);
    }
    int64_t packet_count = ways[0].packet_count + ways[1].packet_count;
    if (packet_count > 0)
        fprintf(stderr, "late by %.3f ms\n", (ways[0].lateness + ways[1].lateness) / 1e6 / packet_count);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
