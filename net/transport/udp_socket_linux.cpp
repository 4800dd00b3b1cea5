// Linux: many datagrams per call (recvmmsg, sendmmsg), and runs of equal ones to one address as a
// single large send that the kernel cuts (UDP_SEGMENT), where that is known to it. The kernel
// stamps what arrives with its clock; what is told is only the difference to that clock. Runs are
// not received as one (UDP_GRO): that costs a server of many clients more than it saves, and takes
// 64 KiB for each (tests/bench/RESULTS.md).
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "net/transport/system_address.h"
#include "net/transport/udp_socket.h"

namespace muster {

namespace {

constexpr std::size_t kBatch = 64;
/// What the kernel takes at a time with UDP_SEGMENT, in datagrams and in bytes.
constexpr std::size_t kSegmentsMax = 64;
constexpr std::size_t kSegmentBytesMax = 65000;

sockaddr_in to_system_v4(const Address& address) {
  sockaddr_in out{};
  // An IPv6 address through an IPv4 socket is an error that the system tells.
  out.sin_family = address.is_ipv4() ? AF_INET : AF_INET6;
  out.sin_port = htons(address.port());
  std::memcpy(&out.sin_addr, address.ip().data() + 12, 4);
  return out;
}

Address from_system(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage, sizeof(in));
    std::array<std::uint8_t, 4> ip{};
    std::memcpy(ip.data(), &in.sin_addr, ip.size());
    return Address::ipv4(ip, ntohs(in.sin_port));
  }
  sockaddr_in6 in{};
  std::memcpy(&in, &storage, sizeof(in));
  return from_system_v6(in);
}

/// Time since the kernel's stamp. Its clock may be set meanwhile: more than a second is not
/// believed.
NetDuration waited(const msghdr& header, const timespec& now) {
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET ||
      control->cmsg_type != SCM_TIMESTAMPNS) {
    return NetDuration::zero();
  }
  timespec stamp{};
  std::memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
  const NetDuration time = std::chrono::seconds(now.tv_sec - stamp.tv_sec) +
                           std::chrono::nanoseconds(now.tv_nsec - stamp.tv_nsec);
  const bool is_sane = time >= NetDuration::zero() && time <= std::chrono::seconds(1);
  return is_sane ? time : NetDuration::zero();
}

class UdpSocket final : public DatagramSocket {
 public:
  UdpSocket(int descriptor, bool is_v6) : descriptor_(descriptor), is_v6_(is_v6) {
    int size = 0;
    for (std::size_t i = 0; i < kBatch; ++i) {
      headers_[i].msg_hdr = {};
      headers_[i].msg_hdr.msg_name = &from_[i];
      headers_[i].msg_hdr.msg_iov = &vectors_[i];
      headers_[i].msg_hdr.msg_iovlen = 1;
      headers_[i].msg_hdr.msg_control = stamps_[i].bytes.data();
    }
    const int wanted = 1;
    // Without it nothing is said to have waited.
    static_cast<void>(setsockopt(descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &wanted, sizeof(wanted)));
    can_segment_ = setsockopt(descriptor_, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)) == 0;
  }
  ~UdpSocket() override { close(descriptor_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    while (!datagrams.empty()) {
      datagrams = datagrams.subspan(send_some(datagrams, outcome));
    }
    return outcome;
  }

  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    const std::size_t count = std::min(datagrams.size(), kBatch);
    for (std::size_t i = 0; i < count; ++i) {
      vectors_[i] = {.iov_base = datagrams[i].memory.data(), .iov_len = datagrams[i].memory.size()};
      headers_[i].msg_hdr.msg_namelen = sizeof(from_[i]);
      headers_[i].msg_hdr.msg_controllen = stamps_[i].bytes.size();
    }
    int result = -1;
    // An error that an earlier datagram caused (ICMP: nobody is there) is told once; what arrived
    // stands behind it.
    for (int attempt = 0; attempt < 8 && result < 0; ++attempt) {
      result = recvmmsg(descriptor_, headers_.data(), static_cast<unsigned>(count), MSG_DONTWAIT,
                        nullptr);
      if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    }
    if (result <= 0) return 0;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    for (std::size_t i = 0; i < static_cast<std::size_t>(result); ++i) {
      datagrams[i].from = from_system(from_[i]);
      datagrams[i].waited = waited(headers_[i].msg_hdr, now);
      datagrams[i].byte_count = headers_[i].msg_len;
    }
    return static_cast<std::size_t>(result);
  }

  void wait(NetDuration at_most) override {
    pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(at_most);
    const timespec time{.tv_sec = whole.count(), .tv_nsec = (at_most - whole).count()};
    static_cast<void>(ppoll(&wanted, 1, &time, nullptr));
  }

  Address local_address() const override {
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
    return from_system(storage);
  }

 private:
  /// How many from the front go as one send: equal sizes to one address, the last may be shorter.
  static std::size_t run_length(std::span<const OutgoingDatagram> datagrams) {
    const OutgoingDatagram& first = datagrams.front();
    std::size_t bytes = first.bytes.size();
    std::size_t count = 1;
    if (bytes == 0) return count;  // A cut leaves no empty datagrams.
    for (; count < std::min(datagrams.size(), kSegmentsMax); ++count) {
      const OutgoingDatagram& next = datagrams[count];
      bytes += next.bytes.size();
      if (next.to != first.to || next.bytes.empty() || next.bytes.size() > first.bytes.size() ||
          bytes > kSegmentBytesMax) {
        break;
      }
      if (next.bytes.size() < first.bytes.size()) return count + 1;
    }
    return count;
  }

  /// Sends some of the first datagrams in one call, and returns how many are settled.
  std::size_t send_some(std::span<const OutgoingDatagram> datagrams, SendOutcome& outcome) {
    const std::size_t count = std::min(datagrams.size(), kBatch);
    std::array<mmsghdr, kBatch> headers{};
    std::array<iovec, kBatch> vectors;
    std::array<sockaddr_storage, kBatch> to;
    struct alignas(cmsghdr) Control {
      std::array<char, CMSG_SPACE(sizeof(std::uint16_t))> bytes;
    };
    std::array<Control, kBatch> controls;
    std::array<std::uint8_t, kBatch> runs{};
    std::size_t used = 0;
    std::size_t messages = 0;
    while (used < count) {
      const std::span<const OutgoingDatagram> rest = datagrams.subspan(used, count - used);
      const std::size_t run = can_segment_ ? run_length(rest) : 1;
      msghdr& header = headers[messages].msg_hdr;
      for (std::size_t i = 0; i < run; ++i) {
        // The system does not write through it, though its type would let it.
        vectors[used + i] = {.iov_base = const_cast<std::byte*>(rest[i].bytes.data()),
                             .iov_len = rest[i].bytes.size()};
      }
      header.msg_name = &to[messages];
      header.msg_namelen = write_address(rest.front().to, to[messages]);
      header.msg_iov = &vectors[used];
      header.msg_iovlen = run;
      if (run > 1) {
        header.msg_control = controls[messages].bytes.data();
        header.msg_controllen = controls[messages].bytes.size();
        cmsghdr* const control = CMSG_FIRSTHDR(&header);
        control->cmsg_level = SOL_UDP;
        control->cmsg_type = UDP_SEGMENT;
        control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
        const auto size = static_cast<std::uint16_t>(rest.front().bytes.size());
        std::memcpy(CMSG_DATA(control), &size, sizeof(size));
      }
      runs[messages++] = static_cast<std::uint8_t>(run);
      used += run;
    }
    const int result =
        sendmmsg(descriptor_, headers.data(), static_cast<unsigned>(messages), MSG_DONTWAIT);
    if (result <= 0) return settle_failure(runs[0], outcome);
    std::size_t settled = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result); ++i) settled += runs[i];
    outcome.sent += settled;
    return settled;
  }

  /// The first message could not be sent. Returns how many datagrams that settles.
  std::size_t settle_failure(std::size_t run, SendOutcome& outcome) {
    if (errno == EINTR) return 0;
    if (run > 1 && (errno == EIO || errno == EINVAL || errno == EOPNOTSUPP)) {
      can_segment_ = false;  // The interface does not do it: one by one from now on.
      return 0;
    }
    // ICMP told of an earlier datagram; the error is gone now, this one was not tried.
    if (errno == ECONNREFUSED && !was_refused_) {
      was_refused_ = true;
      return 0;
    }
    was_refused_ = false;
    (errno == EMSGSIZE ? outcome.too_large : outcome.failed) += run;
    return run;
  }

  socklen_t write_address(const Address& address, sockaddr_storage& storage) const {
    if (is_v6_) {
      const sockaddr_in6 out = to_system_v6(address);
      std::memcpy(&storage, &out, sizeof(out));
      return sizeof(out);
    }
    const sockaddr_in out = to_system_v4(address);
    std::memcpy(&storage, &out, sizeof(out));
    return sizeof(out);
  }

  int descriptor_;
  bool is_v6_;
  bool can_segment_ = false;
  bool was_refused_ = false;
  /// For receiving; they point to each other, so the socket stays where it is.
  std::array<mmsghdr, kBatch> headers_{};
  std::array<iovec, kBatch> vectors_{};
  std::array<sockaddr_storage, kBatch> from_{};
  struct alignas(cmsghdr) Stamp {
    std::array<char, CMSG_SPACE(sizeof(timespec))> bytes;
  };
  std::array<Stamp, kBatch> stamps_{};
};

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof(value)) == 0;
}

/// Datagrams are never cut on the way, and the kernel does not guess the size: we probe.
bool forbid_fragments(int descriptor, bool is_v6) {
  bool done = set(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
  if (is_v6) done = set(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
  return done;
}

int bind_to(int descriptor, const Address& local, bool is_v6) {
  if (is_v6) {
    const sockaddr_in6 address = to_system_v6(local);
    return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  sockaddr_in address = to_system_v4(local);
  address.sin_family = AF_INET;  // `[::]` where there is no IPv6.
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

}  // namespace

OpenedUdp open_udp(const UdpOptions& options) {
  const bool is_any = options.local.ip() == Address().ip();
  bool is_v6 = !options.local.is_ipv4();
  int descriptor = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 && is_v6 && is_any) {
    is_v6 = false;
    descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  }
  const auto fail = [&](const char* what) {
    OpenedUdp failed{.error = std::string("cannot ") + what + " " + options.local.text() + ": " +
                              std::strerror(errno)};
    if (descriptor >= 0) close(descriptor);
    return failed;
  };
  if (descriptor < 0) return fail("open a UDP socket for");
  if (is_v6) static_cast<void>(set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, is_any ? 0 : 1));
  const auto buffer = static_cast<int>(std::min<std::size_t>(options.buffer_bytes, 1U << 30U));
  static_cast<void>(set(descriptor, SOL_SOCKET, SO_RCVBUF, buffer));
  static_cast<void>(set(descriptor, SOL_SOCKET, SO_SNDBUF, buffer));
  if (!forbid_fragments(descriptor, is_v6)) return fail("forbid fragments at");
  if (bind_to(descriptor, options.local, is_v6) != 0) {
    return fail(errno == EADDRINUSE ? "use (another program has it)" : "use");
  }
  return {.socket = std::make_unique<UdpSocket>(descriptor, is_v6)};
}

}  // namespace muster
