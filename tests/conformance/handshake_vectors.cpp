// The implementation's side of handshake_put.py: a server or a client, whose peer is the checker.
// This program reads commands, one per line. The program answers each command with lines, and ends
// the answer with a line that has only a full stop.
//
//   server NAME=VALUE...   begins a server, client NAME=VALUE... a client, instead of the last one
//   in ADDRESS HEX         a datagram arrives
//   wait MS                time passes; no other command advances it
//   send HEX               sends a message on channel 0 to every connected peer
//
//   out ADDRESS HEX        a datagram is sent
//   connected ID TOKEN_DATA USER_DATA     message HEX
//   refused REASON VERSION TEXT           closed REASON TEXT
//   count NAME             something was dropped: a counter of net/CONNECTION.md has increased
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "registry/base/hex.h"
#include "tests/support/hex.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"
#include "tests/support/scripted_socket.h"

namespace {

using namespace muster;
using namespace std::chrono_literals;

using Settings = std::map<std::string, std::string, std::less<>>;
using Counts = std::map<std::string_view, std::uint64_t>;

void print(std::string_view what, const std::string& rest) {
  std::printf("%s %s\n", std::string(what).c_str(), rest.c_str());
}

/// Returns bytes as one word.
std::string word(std::span<const std::byte> bytes) { return bytes.empty() ? "-" : hex_text(bytes); }

std::uint64_t number(const Settings& settings, std::string_view name, std::uint64_t otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : std::stoull(found->second);
}

template <std::size_t kBytes>
std::array<std::byte, kBytes> bytes(const Settings& settings, std::string_view name) {
  const NetBytes value = unhex(settings.at(std::string(name)));
  std::array<std::byte, kBytes> result{};
  std::copy_n(value.begin(), std::min(kBytes, value.size()), result.begin());
  return result;
}

Agreement agreement(const Settings& settings) {
  return {.application = number(settings, "application", 0),
          .content = number(settings, "content", 0),
          .descriptions = number(settings, "descriptions", 0)};
}

void add_counts(const ConnectionCounters& counters, Counts& counts) {
  counts["duplicate_in"] = counters.duplicate_in;
  counts["stale_in"] = counters.stale_in;
  counts["malformed_in"] = counters.malformed_in;
  counts["unbelievable_in"] = counters.unbelievable_in;
  counts["no_room_in"] = counters.no_room_in;
}

/// One end with a socket whose datagrams are lines.
class End {
 public:
  explicit End(const Settings& settings)
      : date_(number(settings, "date", 0)), entropy_(number(settings, "seed", 1)) {
    socket_.next = [this](std::span<std::byte> memory, Address& from) -> std::size_t {
      if (arrived_.empty()) return 0;
      const auto [address, datagram] = std::move(arrived_.front());
      arrived_.pop_front();
      from = address;
      const std::size_t size = std::min(memory.size(), datagram.size());
      std::copy_n(datagram.begin(), size, memory.begin());
      return size;
    };
    socket_.on_send = [](const OutgoingDatagram& datagram) {
      print("out", datagram.to.text() + " " + word(datagram.bytes));
    };
  }
  virtual ~End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  void arrive(const Address& from, NetBytes datagram) {
    arrived_.emplace_back(from, std::move(datagram));
  }
  void pass(Duration time) { now_ += time; }
  virtual void send_message(const NetBytes& message) = 0;
  void turn() {
    const Counts before = std::exchange(counts_, {});
    receive();
    counts_ = counts();
    for (const auto& [name, count] : counts_) {
      const auto found = before.find(name);
      if (count > (found == before.end() ? 0 : found->second)) print("count", std::string(name));
    }
    send();
  }

 protected:
  virtual void receive() = 0;
  virtual void send() = 0;
  virtual Counts counts() = 0;

  static void read(Connection& connection) {
    for (; !connection.message(0).empty(); connection.pop_message(0)) {
      print("message", word(connection.message(0)));
    }
  }
  static void print_end(const Close& end) {
    print("closed", std::to_string(static_cast<int>(end.reason)) + " " + end.text);
  }
  UnixSeconds date() const {
    return date_ + static_cast<UnixSeconds>((now_ - kBegin) / std::chrono::seconds(1));
  }

  static constexpr Time kBegin{100s};
  Time now_ = kBegin;
  UnixSeconds date_;
  SeededEntropy entropy_;
  FloodSocket socket_;

 private:
  std::deque<std::pair<Address, NetBytes>> arrived_;
  Counts counts_;
};

class ServerEnd final : public End {
 public:
  explicit ServerEnd(const Settings& settings) : End(settings) {
    ServerOptions options;
    options.connection.channels = {ChannelOptions{}};
    options.agreement = agreement(settings);
    options.identity = SecretKey(bytes<32>(settings, "identity"));
    if (settings.contains("backend"))
      options.backend_key = SecretKey(bytes<32>(settings, "backend"));
    options.allow_pinned = number(settings, "pinned", 1) != 0;
    options.danger_allow_unprotected = number(settings, "unprotected", 0) != 0;
    options.danger_log = [](std::string_view) {};
    options.clients_max = number(settings, "clients", 8);
    options.used_tokens_max = number(settings, "used_tokens", 100);
    if (settings.contains("public")) {
      options.public_addresses = {Address::parse(settings.at("public")).value()};
    }
    door_.admitted_content = number(settings, "admitted", 0);
    if (settings.contains("closed_door")) door_.text = settings.at("closed_door");
    server_.emplace(options, socket_, entropy_, door_, now_);
  }

  void send_message(const NetBytes& message) override {
    server_->for_each_client([&](ClientHandle client) {
      static_cast<void>(server_->connection(client)->send_message(0, message));
    });
  }

 private:
  void receive() override {
    server_->receive(now_, date());
    print_events();
    server_->for_each_client([&](ClientHandle client) { read(*server_->connection(client)); });
  }
  void send() override {
    server_->send(now_);
    print_events();
  }
  void print_events() {
    for (const ServerEvent& event : server_->events()) {
      if (event.kind == ServerEvent::Kind::closed) {
        print_end(event.close.value());
        continue;
      }
      last_ = event.client;
      print("connected", std::to_string(server_->account(last_).value()) + " " +
                             word(server_->token_data(last_)) + " " + word(door_.last_user_data));
    }
    server_->clear_events();
  }
  Counts counts() override {
    const ServerCounters& counters = server_->counters();
    Counts counts = {{"not_ours", counters.not_ours},
                     {"responses_limited", counters.responses_limited},
                     {"challenges_stale", counters.challenges_stale},
                     {"hellos_forged", counters.hellos_forged},
                     {"unknown_connection", counters.unknown_connection},
                     {"forged", counters.forged}};
    if (const Connection* const connection = server_->connection(last_)) {
      add_counts(connection->counters(), counts);
    }
    return counts;
  }

  OpenDoor door_;
  std::optional<Server> server_;
  ClientHandle last_;  ///< The last client that connected. Its counters are printed.
};

class ClientEnd final : public End {
 public:
  explicit ClientEnd(const Settings& settings) : End(settings) {
    ClientOptions options;
    options.connection.channels = {ChannelOptions{}};
    options.server = Address::parse(settings.at("address")).value();
    options.danger_log = [](std::string_view) {};
    ClientHandshake::Options& handshake = options.handshake;
    handshake.mode = static_cast<TrustMode>(number(settings, "mode", 0));
    handshake.agreement = agreement(settings);
    handshake.server_key = bytes<32>(settings, "server_key");
    if (settings.contains("token")) {
      handshake.token = read_client_token(unhex(settings.at("token")));
      if (!handshake.token.has_value()) print("count", "token_unreadable");
    }
    if (settings.contains("user_data")) handshake.user_data = unhex(settings.at("user_data"));
    if ((handshake.mode == TrustMode::token) != handshake.token.has_value()) return;
    client_.emplace(options, socket_, entropy_, now_);
  }

  void send_message(const NetBytes& message) override {
    Connection* const connection = client_.has_value() ? client_->connection() : nullptr;
    if (connection != nullptr) static_cast<void>(connection->send_message(0, message));
  }

 private:
  void receive() override {
    if (!client_.has_value()) return;
    client_->receive(now_);
    Connection* const connection = client_->connection();
    if (connection == nullptr) return;
    if (!std::exchange(is_connected_, true)) {
      print("connected", std::to_string(client_->account().value()) + " - -");
    }
    read(*connection);
  }
  void send() override {
    if (!client_.has_value()) return;
    client_->send(now_);
    if (!client_->end().has_value() || std::exchange(is_over_, true)) return;
    if (const std::optional<Refusal>& refusal = client_->refusal()) {
      print("refused", std::to_string(static_cast<int>(refusal->reason)) + " " +
                           std::to_string(refusal->server_version) + " " + refusal->text);
    }
    print_end(*client_->end());
  }
  Counts counts() override {
    if (!client_.has_value()) return {};
    Counts counts = {{"not_ours", client_->counters().not_ours},
                     {"forged", client_->counters().forged}};
    if (const Connection* const connection = client_->connection()) {
      add_counts(connection->counters(), counts);
    }
    return counts;
  }

  std::optional<Client> client_;
  bool is_connected_ = false;
  bool is_over_ = false;
};

Settings read_settings(std::istream& words) {
  Settings settings;
  for (std::string setting; words >> setting;) {
    const std::size_t equals = setting.find('=');
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return settings;
}

/// Runs the command in a line. Returns false if the line is not a command.
bool obey(const std::string& line, std::unique_ptr<End>& end) {
  std::istringstream words(line);
  std::string command;
  std::string first;
  std::string second;
  words >> command;
  if (command == "server") {
    end = std::make_unique<ServerEnd>(read_settings(words));
  } else if (command == "client") {
    end = std::make_unique<ClientEnd>(read_settings(words));
  } else if (end == nullptr || !(words >> first)) {
    return false;
  } else if (command == "in" && words >> second) {
    end->arrive(Address::parse(first).value(), unhex(second));
  } else if (command == "wait") {
    end->pass(std::chrono::milliseconds(std::stoll(first)));
  } else if (command == "send") {
    end->send_message(unhex(first));
  } else {
    return false;
  }
  end->turn();
  std::printf(".\n");
  std::fflush(stdout);
  return true;
}

}  // namespace

int main() {
  std::unique_ptr<End> end;
  for (std::string line; std::getline(std::cin, line);) {
    if (obey(line, end)) continue;
    std::cerr << "no command: " << line << '\n';
    return 2;
  }
  return 0;
}
