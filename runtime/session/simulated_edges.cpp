#include <cassert>
#include <charconv>
#include <map>
#include <set>
#include <vector>

#include "net/secure/entropy.h"
#include "net/transport/simulated_network.h"
#include "runtime/session/edges.h"

namespace muster {
namespace {

/// The date of every simulation: 2027-01-15.
constexpr std::uint64_t kDate = 1'800'000'000;
/// The first port that is assigned to sockets that request any port.
constexpr std::uint16_t kFirstFreePort = 49152;

LinkOptions options_of(const Link& link) {
  return {.latency = link.delay,
          .jitter = link.jitter,
          .may_overtake = link.may_reorder,
          .loss = link.loss,
          .duplicate = link.duplicate,
          .corrupt = link.corrupt,
          .bytes_per_second = link.bytes_per_second,
          .queue_bytes = link.queue_bytes,
          .is_down = link.is_down};
}

struct HostPort {
  std::string_view host;
  std::uint16_t port = 0;
};

std::optional<HostPort> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  HostPort parsed{.host = text.substr(0, colon)};
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return parsed;
}

}  // namespace

struct SimulatedEdges::Impl {
  class MemoryFile final : public OutputFile {
   public:
    explicit MemoryFile(ByteVector& bytes) : bytes_(bytes) {}
    Result<void> append(Bytes bytes) override {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return {};
    }
    Result<void> flush() override { return {}; }

   private:
    ByteVector& bytes_;
  };
  class MemoryFiles final : public Files {
   public:
    Result<ByteVector> read(const std::string& path) override {
      const auto found = files_.find(path);
      if (found == files_.end()) return fail(ErrorCode::not_found, path + " does not exist");
      return found->second;
    }
    Result<void> create_secret(const std::string& path, Bytes bytes) override {
      if (files_.contains(path)) return fail(ErrorCode::already_exists, path + " exists");
      files_[path] = ByteVector(bytes.begin(), bytes.end());
      return {};
    }
    Result<std::unique_ptr<OutputFile>> create(const std::string& path) override {
      files_[path].clear();
      return std::make_unique<MemoryFile>(files_[path]);
    }

   private:
    std::map<std::string, ByteVector> files_;
  };
  /// A socket that frees its port when it is closed.
  class HostSocket final : public DatagramSocket {
   public:
    HostSocket(std::set<std::uint16_t>& ports, std::uint16_t port,
               std::unique_ptr<DatagramSocket> socket)
        : ports_(ports), port_(port), socket_(std::move(socket)) {}
    ~HostSocket() override { ports_.erase(port_); }
    SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
      return socket_->send(datagrams);
    }
    std::size_t receive(std::span<IncomingDatagram> datagrams) override {
      return socket_->receive(datagrams);
    }
    void wait(Duration timeout) override { socket_->wait(timeout); }
    Address local_address() const override { return socket_->local_address(); }

   private:
    std::set<std::uint16_t>& ports_;
    std::uint16_t port_;
    std::unique_ptr<DatagramSocket> socket_;
  };
  class Host final : public Edges, public Network {
   public:
    Host(Impl& all, std::string name, std::uint8_t number, const Link& link, std::uint64_t seed)
        : all_(all),
          name_(std::move(name)),
          number_(number),
          entropy_(seed),
          up_(all.network.add_link(options_of(link))),
          down_(all.network.add_link(options_of(link))) {}

    Time now() override { return all_.now; }
    std::uint64_t unix_seconds() override {
      return kDate +
             static_cast<std::uint64_t>(all_.now.time_since_epoch() / std::chrono::seconds(1));
    }
    Network& network() override { return *this; }
    Entropy& entropy() override { return entropy_; }
    Files& files() override { return files_; }
    void log(LogLevel /*level*/, std::string_view line) override {
      all_.lines.push_back(name_ + ": " + std::string(line));
    }

    Result<std::unique_ptr<DatagramSocket>> open(std::string_view address) override {
      std::uint16_t port = 0;
      if (!address.empty()) {
        const std::optional<HostPort> parsed = parse_host_port(address);
        if (!parsed) {
          return fail(ErrorCode::invalid_argument,
                      "'" + std::string(address) + "' is not an address: write host:port");
        }
        port = parsed->port;
      }
      if (port == 0) port = free_port();
      if (!ports_.insert(port).second) {
        return fail(ErrorCode::busy, "port " + std::to_string(port) + " is in use");
      }
      return std::make_unique<HostSocket>(ports_, port,
                                          all_.network.open(address_of(port), {up_}, {down_}));
    }
    std::optional<Result<Address>> resolve(std::string_view name) override {
      const std::optional<HostPort> parsed = parse_host_port(name);
      if (!parsed) {
        return fail(ErrorCode::invalid_argument,
                    "'" + std::string(name) + "' has no port: write host:port");
      }
      const auto found = all_.hosts.find(std::string(parsed->host));
      if (found == all_.hosts.end()) {
        return fail(ErrorCode::not_found, "there is no host '" + std::string(parsed->host) + "'");
      }
      return found->second->address_of(parsed->port);
    }
    void set_links(const Link& up, const Link& down) {
      all_.network.link(up_) = options_of(up);
      all_.network.link(down_) = options_of(down);
    }

   private:
    std::uint16_t free_port() {
      std::uint16_t port = 0;
      do {
        port = next_port_;
        next_port_ =
            next_port_ == UINT16_MAX ? kFirstFreePort : static_cast<std::uint16_t>(next_port_ + 1);
      } while (ports_.contains(port));
      return port;
    }
    Address address_of(std::uint16_t port) const {
      return Address::ipv4({10, 0, 0, number_}, port);
    }

    Impl& all_;
    std::string name_;
    std::uint8_t number_;
    SeededEntropy entropy_;
    LinkId up_;
    LinkId down_;
    MemoryFiles files_;
    std::set<std::uint16_t> ports_;  ///< The ports of open sockets.
    std::uint16_t next_port_ = kFirstFreePort;
  };

  explicit Impl(std::uint64_t first_seed) : seed(first_seed), network(first_seed) {
    network.advance(now);
  }

  std::uint64_t seed;
  SimulatedNetwork network;
  Time now{};
  std::map<std::string, std::unique_ptr<Host>> hosts;
  std::vector<std::string> lines;
};

SimulatedEdges::SimulatedEdges(std::uint64_t seed) : impl_(std::make_unique<Impl>(seed)) {}
SimulatedEdges::~SimulatedEdges() = default;

Edges& SimulatedEdges::host(std::string_view name, const Link& link) {
  std::unique_ptr<Impl::Host>& host = impl_->hosts[std::string(name)];
  if (host == nullptr) {
    const auto number = static_cast<std::uint8_t>(impl_->hosts.size());
    assert(impl_->hosts.size() < 256 && "a simulated network has at most 255 hosts");
    host = std::make_unique<Impl::Host>(*impl_, std::string(name), number, link,
                                        impl_->seed * 257 + number);
  }
  return *host;
}

void SimulatedEdges::set_link(std::string_view host, const Link& link) {
  set_links(host, link, link);
}
void SimulatedEdges::set_links(std::string_view host, const Link& up, const Link& down) {
  const auto found = impl_->hosts.find(std::string(host));
  assert(found != impl_->hosts.end());
  found->second->set_links(up, down);
}

void SimulatedEdges::advance(Duration by) {
  impl_->now += by;
  impl_->network.advance(impl_->now);
}
Time SimulatedEdges::now() const { return impl_->now; }
bool SimulatedEdges::is_busy() const { return impl_->network.next_event() != Time::max(); }
std::span<const std::string> SimulatedEdges::log() const { return impl_->lines; }

}  // namespace muster
