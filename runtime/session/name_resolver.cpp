#include "runtime/session/name_resolver.h"

#include <netdb.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace muster {
namespace {

/// A server that listens at all addresses prints [::] or 0.0.0.0. No answer has this source
/// address, so a client on the same machine uses the loopback address.
Address reachable(const Address& address) {
  if (!address.is_unspecified()) return address;
  if (address.is_ipv4()) return Address::ipv4({127, 0, 0, 1}, address.port());
  return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, address.port()};
}

Result<Address> look_up(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return fail(ErrorCode::not_found,
                "cannot resolve the name '" + host + "': " + ::gai_strerror(error));
  }
  Result<Address> result = fail(ErrorCode::not_found, "'" + host + "' has no address");
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family == AF_INET) {
      sockaddr_in address{};
      std::memcpy(&address, each->ai_addr, sizeof address);
      std::array<std::uint8_t, 4> ip{};
      std::memcpy(ip.data(), &address.sin_addr, ip.size());
      result = Address::ipv4(ip, ntohs(address.sin_port));
      break;
    }
    if (each->ai_family == AF_INET6) {
      sockaddr_in6 address{};
      std::memcpy(&address, each->ai_addr, sizeof address);
      std::array<std::uint8_t, 16> ip{};
      std::memcpy(ip.data(), &address.sin6_addr, ip.size());
      // An IPv4 address later in the list is preferred, because servers at [::] and at 0.0.0.0 both
      // receive IPv4.
      if (!result) result = Address(ip, ntohs(address.sin6_port)).with_scope(address.sin6_scope_id);
    }
  }
  ::freeaddrinfo(found);
  return result ? Result<Address>(reachable(result.value())) : result;
}

}  // namespace

struct NameResolver::Lookups {
  std::mutex mutex;
  std::map<std::string, std::optional<Result<Address>>> names;
};

NameResolver::NameResolver() : lookups_(std::make_shared<Lookups>()) {}
NameResolver::~NameResolver() = default;

std::optional<Result<Address>> NameResolver::resolve(std::string_view name) {
  if (const std::optional<Address> address = Address::parse(name)) return reachable(*address);
  const std::size_t colon = name.rfind(':');
  const std::string port(colon == std::string_view::npos ? "" : name.substr(colon + 1));
  if (port.empty() || colon == 0 || name.find(':') != colon) {
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(name) +
                    "' is not an address: write host:port, for example localhost:7000");
  }
  const std::lock_guard lock(lookups_->mutex);
  const auto [at, is_new] = lookups_->names.try_emplace(std::string(name));
  if (is_new) {
    std::thread([lookups = lookups_, name = std::string(name),
                 host = std::string(name.substr(0, colon)), port] {
      Result<Address> found = look_up(host, port);
      const std::lock_guard done(lookups->mutex);
      lookups->names[name] = std::move(found);
    }).detach();
  }
  std::optional<Result<Address>> result = at->second;
  // The name is looked up again for the next connection, because its address may change.
  if (result) lookups_->names.erase(at);
  return result;
}

}  // namespace muster
