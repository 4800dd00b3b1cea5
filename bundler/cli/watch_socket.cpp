#include "bundler/cli/watch_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <string_view>

#include "runtime/bundle/watch_address.h"

namespace muster::cli {
namespace {

constexpr std::string_view kLine = "built\n";
constexpr int kWaiting = 64;
constexpr std::size_t kListenersMax = 256;

}  // namespace

Result<WatchSocket> WatchSocket::open(const std::string& out) {
  const auto address = watch_address(out);
  if (!address) return fail(address.error());
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.valid() || ::bind(made.get(), address.value().get(), address.value().bytes) != 0 ||
      ::listen(made.get(), kWaiting) != 0) {
    if (errno == EADDRINUSE) {
      return fail(ErrorCode::busy, "another 'muster watch' builds to '" + out + "'");
    }
    return fail_errno(errno, "cannot open a socket");
  }
  return WatchSocket(std::move(made));
}

void WatchSocket::notify_built() {
  while (listeners_.size() < kListenersMax) {
    Descriptor next(::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!next.valid()) break;
    listeners_.push_back(std::move(next));
  }
  std::erase_if(listeners_, [](const Descriptor& listener) {
    const ssize_t sent = ::send(listener.get(), kLine.data(), kLine.size(), MSG_NOSIGNAL);
    return sent != static_cast<ssize_t>(kLine.size());
  });
}

}  // namespace muster::cli
