#include "runtime/assets/build_notices.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "runtime/bundle/watch_address.h"

namespace muster {

bool BuildNotices::connect(Time now) {
  if (now < next_attempt_) return false;
  next_attempt_ = now + kPause;
  const auto address = watch_address(folder_);
  if (!address) return false;
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.valid()) return false;
  if (::connect(made.get(), address.value().get(), address.value().bytes) != 0) return false;
  socket_ = std::move(made);
  next_check_ = Time::min();
  return true;
}

BuildNotices::Notice BuildNotices::poll(Time now) {
  if (!socket_.valid() && !connect(now)) return Notice::silent;
  std::array<char, 256> text{};
  const ssize_t got = ::recv(socket_.get(), text.data(), text.size(), 0);
  const bool would_block = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  if (would_block && now < next_check_) return Notice::none;
  next_check_ = now + kCheckInterval;
  if (got > 0 || would_block) return Notice::build;
  socket_ = Descriptor();  // The watch has ended, and its last build may be new for the caller.
  next_attempt_ = now + kPause;
  return Notice::build;
}

}  // namespace muster
