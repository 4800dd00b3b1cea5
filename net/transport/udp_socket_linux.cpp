// The UDP socket of Linux: many datagrams per system call (recvmmsg, sendmmsg). A run of datagrams
// of equal size to one address is passed to the kernel as one large datagram, which the kernel
// splits (UDP_SEGMENT). The kernel stamps arrivals with its own clock, and `waited` is the time
// since the stamp. Received runs are not joined (UDP_GRO). With many clients, joining takes more
// time than it saves, and needs 64 KiB of memory for each datagram (tests/bench/RESULTS.md).
//
// Segmentation can fail for one destination: its route uses a device without checksums, its MTU is
// smaller than a segment, or the address rejects all datagrams. The kernel's error does not
// distinguish these causes. Such a run is sent again one datagram at a time. If sending then works,
// segmentation was the cause, and is not used for the next runs to this address (`Unsegmented`).
// Segmentation is not switched off for the whole socket: two forged datagrams could then make every
// send slower.
#include <arpa/inet.h>
#include <linux/sock_diag.h>
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

constexpr std::size_t kMessageBatch = 64;
/// The kernel's limits for one UDP_SEGMENT call, in datagrams and in bytes.
constexpr std::size_t kSegmentsMax = 64;
constexpr std::size_t kSegmentBytesMax = 65000;

sockaddr_in to_system_v4(const Address& address) {
  sockaddr_in out{};
  // An IPv4 socket must report an error for an IPv6 address, so the family stays IPv6.
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

/// Returns the time since the kernel's stamp. A time of more than a second is ignored, because the
/// clock was probably set.
Duration waited_since(const timespec& stamp, const timespec& now) {
  const Duration time = std::chrono::seconds(now.tv_sec - stamp.tv_sec) +
                        std::chrono::nanoseconds(now.tv_nsec - stamp.tv_nsec);
  const bool is_sane = time >= Duration::zero() && time <= std::chrono::seconds(1);
  return is_sane ? time : Duration::zero();
}

/// Returns the address that a datagram was sent to. A dual-stack socket also reports IPv4 datagrams
/// in this form.
Address local_of(const in6_pktinfo& info) {
  std::array<std::uint8_t, 16> ip{};
  std::memcpy(ip.data(), &info.ipi6_addr, ip.size());
  return Address(ip, 0).with_scope(info.ipi6_ifindex);
}
/// `ipi_spec_dst` is a local address even if the datagram was sent to a broadcast address.
Address local_of(const in_pktinfo& info) {
  std::array<std::uint8_t, 4> ip{};
  std::memcpy(ip.data(), &info.ipi_spec_dst, ip.size());
  return Address::ipv4(ip, 0);
}

/// Returns the address if an answer can be sent from it; an unspecified address for a multicast or
/// broadcast address.
Address source_for_answers(const Address& local) {
  return local.with_port(1).is_peer() ? local : Address();
}

/// Reads the arrival time and the local address of a datagram from its control data.
void read_control(msghdr& header, const timespec& now, IncomingDatagram& datagram) {
  datagram.waited = {};
  datagram.to = {};
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(each), sizeof(stamp));
      datagram.waited = waited_since(stamp, now);
    } else if (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(each), sizeof(info));
      datagram.to = source_for_answers(local_of(info));
    } else if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(each), sizeof(info));
      datagram.to = source_for_answers(local_of(info));
    }
  }
}

/// The memory for a datagram's control data: a segment size or a time, and an address.
struct alignas(cmsghdr) Control {
  std::array<char, CMSG_SPACE(sizeof(timespec)) + CMSG_SPACE(sizeof(in6_pktinfo))> bytes;
};

/// Appends one piece of control data. Requires: `control` has room for it.
template <typename Value>
void append_control(msghdr& header, Control& control, int level, int type, const Value& value) {
  const cmsghdr head{.cmsg_len = CMSG_LEN(sizeof(value)), .cmsg_level = level, .cmsg_type = type};
  char* const at = control.bytes.data() + header.msg_controllen;
  std::memset(at, 0, CMSG_SPACE(sizeof(value)));
  std::memcpy(at, &head, sizeof(head));
  std::memcpy(at + CMSG_LEN(0), &value, sizeof(value));
  header.msg_control = control.bytes.data();
  header.msg_controllen += CMSG_SPACE(sizeof(value));
}

/// The addresses for which segmentation failed, in a table of fixed size. An entry is used for
/// 1,024 runs. Then segmentation is tried again, because routes change.
class Unsegmented {
 public:
  bool spend_run(const Address& to) {
    if (is_empty_) return false;
    Entry& entry = entry_of(to);
    if (entry.runs_left == 0 || entry.to != to.with_port(0)) return false;
    --entry.runs_left;
    return true;
  }
  void add(const Address& to) {
    entry_of(to) = {.to = to.with_port(0), .runs_left = kRunsUntilRetry};
    is_empty_ = false;
  }

 private:
  static constexpr std::uint32_t kRunsUntilRetry = 1024;
  struct Entry {
    Address to;
    std::uint32_t runs_left = 0;
  };
  Entry& entry_of(const Address& to) {
    return entries_[hash_of(to.with_port(0)) % entries_.size()];
  }

  bool is_empty_ = true;
  std::array<Entry, 64> entries_{};
};

/// The arguments of one `sendmmsg` call. They contain pointers to each other, so do not copy them.
struct OutgoingMessages {
  std::array<mmsghdr, kMessageBatch> headers;
  std::array<iovec, kMessageBatch> vectors;
  std::array<sockaddr_storage, kMessageBatch> to;
  std::array<Control, kMessageBatch> controls;
  std::array<std::uint8_t, kMessageBatch> runs;  ///< The number of datagrams in each message.
  std::size_t count = 0;
};

class UdpSocket final : public DatagramSocket {
 public:
  UdpSocket(int descriptor, bool is_v6, bool is_any) : descriptor_(descriptor), is_v6_(is_v6) {
    int size = 0;
    for (std::size_t i = 0; i < kMessageBatch; ++i) {
      headers_[i].msg_hdr = {};
      headers_[i].msg_hdr.msg_name = &from_[i];
      headers_[i].msg_hdr.msg_iov = &vectors_[i];
      headers_[i].msg_hdr.msg_iovlen = 1;
      headers_[i].msg_hdr.msg_control = controls_[i].bytes.data();
    }
    const int wanted = 1;
    // Without this option, `waited` is zero.
    static_cast<void>(setsockopt(descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &wanted, sizeof(wanted)));
    // A socket that is bound to one address already knows the local address of its datagrams.
    if (is_any) {
      static_cast<void>(
          is_v6 ? setsockopt(descriptor_, IPPROTO_IPV6, IPV6_RECVPKTINFO, &wanted, sizeof(wanted))
                : setsockopt(descriptor_, IPPROTO_IP, IP_PKTINFO, &wanted, sizeof(wanted)));
    }
    can_segment_ = setsockopt(descriptor_, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)) == 0;
  }
  ~UdpSocket() override { close(descriptor_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    while (!datagrams.empty()) {
      datagrams = datagrams.subspan(send_some(datagrams, can_segment_, outcome));
    }
    return outcome;
  }

  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    const std::size_t count = std::min(datagrams.size(), kMessageBatch);
    for (std::size_t i = 0; i < count; ++i) {
      vectors_[i] = {.iov_base = datagrams[i].memory.data(), .iov_len = datagrams[i].memory.size()};
      headers_[i].msg_hdr.msg_namelen = sizeof(from_[i]);
      headers_[i].msg_hdr.msg_controllen = controls_[i].bytes.size();
    }
    int result = -1;
    // The kernel reports an error of a sent datagram (ICMP) once. The next call can receive
    // datagrams.
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
      read_control(headers_[i].msg_hdr, now, datagrams[i]);
      datagrams[i].byte_count = headers_[i].msg_len;
    }
    return static_cast<std::size_t>(result);
  }

  void wait(Duration timeout) override {
    pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(timeout);
    const timespec time{.tv_sec = whole.count(), .tv_nsec = (timeout - whole).count()};
    static_cast<void>(ppoll(&wanted, 1, &time, nullptr));
  }

  Address local_address() const override {
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
    return from_system(storage);
  }

  SocketBacklog backlog() const override {
    std::array<std::uint32_t, SK_MEMINFO_VARS> numbers{};
    socklen_t size = sizeof(numbers);
    if (getsockopt(descriptor_, SOL_SOCKET, SO_MEMINFO, numbers.data(), &size) != 0) return {};
    return {.waiting_bytes = numbers[SK_MEMINFO_RMEM_ALLOC], .dropped = numbers[SK_MEMINFO_DROPS]};
  }

 private:
  /// Returns the number of datagrams at the front that can be sent as one run. They have equal
  /// sizes and the same two addresses. The last datagram of a run may be shorter.
  static std::size_t run_length(std::span<const OutgoingDatagram> datagrams) {
    const OutgoingDatagram& first = datagrams.front();
    std::size_t bytes = first.bytes.size();
    std::size_t count = 1;
    if (bytes == 0) return count;  // Segmentation produces no empty datagrams.
    for (; count < std::min(datagrams.size(), kSegmentsMax); ++count) {
      const OutgoingDatagram& next = datagrams[count];
      bytes += next.bytes.size();
      if (next.to != first.to || next.from != first.from || next.bytes.empty() ||
          next.bytes.size() > first.bytes.size() || bytes > kSegmentBytesMax) {
        break;
      }
      if (next.bytes.size() < first.bytes.size()) return count + 1;
    }
    return count;
  }

  /// Sends some of the first datagrams in one system call, and returns the number of datagrams that
  /// were sent or refused.
  std::size_t send_some(std::span<const OutgoingDatagram> datagrams, bool may_segment,
                        SendOutcome& outcome) {
    OutgoingMessages messages;
    fill(messages, datagrams.first(std::min(datagrams.size(), kMessageBatch)), may_segment);
    const int result = sendmmsg(descriptor_, messages.headers.data(),
                                static_cast<unsigned>(messages.count), MSG_DONTWAIT);
    if (result <= 0) return settle_failure(datagrams.first(messages.runs[0]), outcome);
    std::size_t settled = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(result); ++i) settled += messages.runs[i];
    outcome.sent += settled;
    return settled;
  }

  void fill(OutgoingMessages& messages, std::span<const OutgoingDatagram> datagrams,
            bool may_segment) {
    for (std::size_t used = 0; used < datagrams.size();) {
      const std::span<const OutgoingDatagram> rest = datagrams.subspan(used);
      std::size_t run = may_segment ? run_length(rest) : 1;
      if (run > 1 && unsegmented_.spend_run(rest.front().to)) run = 1;
      for (std::size_t i = 0; i < run; ++i) {
        // The system only reads through this pointer, although its type is not const.
        messages.vectors[used + i] = {.iov_base = const_cast<std::byte*>(rest[i].bytes.data()),
                                      .iov_len = rest[i].bytes.size()};
      }
      const std::size_t index = messages.count++;
      msghdr& header = messages.headers[index].msg_hdr;
      header = {};
      header.msg_name = &messages.to[index];
      header.msg_namelen = write_address(rest.front().to, messages.to[index]);
      header.msg_iov = &messages.vectors[used];
      header.msg_iovlen = run;
      if (run > 1) {
        append_control(header, messages.controls[index], SOL_UDP, UDP_SEGMENT,
                       static_cast<std::uint16_t>(rest.front().bytes.size()));
      }
      if (!rest.front().from.is_unspecified()) {
        append_source(header, messages.controls[index], rest.front().from);
      }
      messages.runs[index] = static_cast<std::uint8_t>(run);
      used += run;
    }
  }

  /// Sets the source address, and for a link-local address also the interface.
  void append_source(msghdr& header, Control& control, const Address& from) const {
    if (is_v6_) {
      in6_pktinfo info{};
      std::memcpy(&info.ipi6_addr, from.ip().data(), from.ip().size());
      info.ipi6_ifindex = from.scope();
      append_control(header, control, IPPROTO_IPV6, IPV6_PKTINFO, info);
    } else {
      in_pktinfo info{};
      std::memcpy(&info.ipi_spec_dst, from.ip().data() + 12, 4);
      append_control(header, control, IPPROTO_IP, IP_PKTINFO, info);
    }
  }

  /// Handles the error of the first message, which contains `run`. Returns the number of datagrams
  /// that were sent or refused.
  std::size_t settle_failure(std::span<const OutgoingDatagram> run, SendOutcome& outcome) {
    if (errno == EINTR) return 0;
    // ICMP reported the failure of an earlier datagram. The error is now cleared, so send this
    // message again.
    if (errno == ECONNREFUSED && !was_refused_) {
      was_refused_ = true;
      return 0;
    }
    was_refused_ = false;
    if (run.size() > 1 && (errno == EIO || errno == EINVAL || errno == EOPNOTSUPP)) {
      send_one_by_one(run, outcome);
      return run.size();
    }
    (errno == EMSGSIZE ? outcome.too_large : outcome.failed) += run.size();
    return run.size();
  }

  /// Sends the datagrams of a refused run one by one. If this succeeds, segmentation was the cause.
  void send_one_by_one(std::span<const OutgoingDatagram> run, SendOutcome& outcome) {
    const std::size_t sent_before = outcome.sent;
    const Address to = run.front().to;
    while (!run.empty()) run = run.subspan(send_some(run, false, outcome));
    if (outcome.sent > sent_before) unsegmented_.add(to);
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
  /// The memory for receiving. These arrays contain pointers to each other, so the socket cannot be
  /// moved.
  std::array<mmsghdr, kMessageBatch> headers_{};
  std::array<iovec, kMessageBatch> vectors_{};
  std::array<sockaddr_storage, kMessageBatch> from_{};
  std::array<Control, kMessageBatch> controls_{};
  Unsegmented unsegmented_;
};

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof(value)) == 0;
}

/// Makes the kernel send datagrams without fragmentation. The kernel does not estimate the path
/// MTU, because the connection probes the path (`PathSize`).
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
  address.sin_family = AF_INET;  // The caller passed `[::]`, but the system has no IPv6.
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

}  // namespace

OpenedUdp open_udp(const UdpOptions& options) {
  const bool is_any = options.local.is_unspecified();
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
  return {.socket = std::make_unique<UdpSocket>(descriptor, is_v6, is_any)};
}

}  // namespace muster
