// Tests that a destination which rejects runs of datagrams affects only datagrams to this
// destination. A replacement of `sendmmsg` counts the messages.
#ifdef __linux__

#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/udp_socket.h"
#include "tests/support/net_bytes.h"

namespace {

/// The counters and the settings of this file's replacement of `sendmmsg`.
struct Kernel {
  std::size_t messages = 0;
  /// A run to this port fails, as on a device without segmentation.
  std::uint16_t port_without_segments = 0;
  int error = EIO;  ///< The error of such a run.
};
Kernel kernel;

bool is_refused(const msghdr& header) {
  sockaddr_in to{};
  std::memcpy(&to, header.msg_name, sizeof(to));
  return header.msg_iovlen > 1 && ntohs(to.sin_port) == kernel.port_without_segments;
}

}  // namespace

extern "C" int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  using SendMessages = int (*)(int, mmsghdr*, unsigned, int);
  static const auto real = reinterpret_cast<SendMessages>(dlsym(RTLD_NEXT, "sendmmsg"));
  unsigned accepted = 0;
  while (accepted < count && !is_refused(messages[accepted].msg_hdr)) ++accepted;
  kernel.messages += accepted;
  if (accepted > 0) return real(descriptor, messages, accepted, flags);
  ++kernel.messages;
  errno = kernel.error;
  return -1;
}

namespace muster {
namespace {

/// Sends equal datagrams to an address. Returns the number of messages that were passed to the
/// kernel.
std::size_t messages_of_run(DatagramSocket& socket, const Address& to, SendOutcome& outcome) {
  const NetBytes bytes(1000);
  const std::vector<OutgoingDatagram> run(20, OutgoingDatagram{.to = to, .bytes = bytes});
  kernel.messages = 0;
  outcome = socket.send(run);
  return kernel.messages;
}

TEST_CASE(
    "A destination that rejects runs of datagrams does not make other datagrams more expensive",
    "[net][transport]") {
  kernel = {};
  kernel.error = GENERATE(EIO, EINVAL, EOPNOTSUPP);
  CAPTURE(kernel.error);
  const auto open = [] { return open_udp({.local = *Address::parse("127.0.0.1:0")}).socket; };
  const auto socket = open();
  const auto good = open();
  const auto other = open();
  SendOutcome outcome;
  const Address to_good = good->local_address();
  if (messages_of_run(*socket, to_good, outcome) != 1) {
    WARN("this kernel has no segmentation: not tested");
    return;
  }
  // No datagram can be sent to this address, so the failed run does not show that segmentation
  // fails.
  messages_of_run(*socket, to_good.with_port(0), outcome);
  REQUIRE(outcome.failed == 20);
  REQUIRE(messages_of_run(*socket, to_good, outcome) == 1);
  messages_of_run(*socket, *Address::parse("[2001:db8::1]:9"), outcome);
  REQUIRE(outcome.failed == 20);
  REQUIRE(messages_of_run(*socket, to_good, outcome) == 1);

  // Single datagrams reach this destination, so only this destination gets single datagrams from
  // now on.
  const Address to_other = Address::ipv4({127, 0, 0, 2}, other->local_address().port());
  kernel.port_without_segments = to_other.port();
  REQUIRE(messages_of_run(*socket, to_other, outcome) == 21);
  REQUIRE(outcome.sent == 20);
  REQUIRE(messages_of_run(*socket, to_other, outcome) == 20);
  REQUIRE(outcome.sent == 20);
  REQUIRE(messages_of_run(*socket, to_good, outcome) == 1);

  // After some time, segmentation is tried again.
  kernel.port_without_segments = 0;
  std::size_t runs = 0;
  while (messages_of_run(*socket, to_other, outcome) > 1) REQUIRE(++runs < 2000);
  REQUIRE(runs > 10);
}

}  // namespace
}  // namespace muster

#endif
