// The ports and files of simulated machines.
#include <chrono>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "net/transport/address.h"
#include "net/transport/datagram_socket.h"
#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

TEST_CASE("A restarted server gets its port again after the first server is closed",
          "[session][flow]") {
  SimulatedEdges edges(1);
  const Result<Build> build = Build::open(build_folder(), Target::server, make_game());
  const auto start = [&] {
    return GameServer::open(build, edges.host("server"), {.listen = "server:7000"});
  };
  auto first = start();
  REQUIRE(first);
  const std::string key = first.value()->public_key();
  const auto second = start();
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::busy);
  first.value().reset();
  const auto again = start();
  REQUIRE(again);
  // The key is read from the file on the simulated disk.
  CHECK(again.value()->public_key() == key);
}

TEST_CASE("A simulated host chooses ports for any number of sockets, one after the other",
          "[session][flow]") {
  SimulatedEdges edges(1);
  Network& network = edges.host("client").network();
  const auto kept = network.open("");
  REQUIRE(kept);
  for (int i = 0; i < 20'000; ++i) {
    const auto socket = network.open("");
    REQUIRE(socket);
    REQUIRE(socket.value()->local_address() != kept.value()->local_address());
  }
}

TEST_CASE("A client reaches a server at the address 0 on the same machine", "[session][flow]") {
  SystemEdges edges;
  const auto resolved = [&](std::string_view name) {
    return edges.network().resolve(name).value().value().text();
  };
  CHECK(resolved("0.0.0.0:7000") == "127.0.0.1:7000");
  CHECK(resolved("[::]:7000") == Address::parse("[::1]:7000")->text());
  CHECK(resolved("127.0.0.2:7000") == "127.0.0.2:7000");
}

TEST_CASE("A file that cannot be a server's key is refused", "[session][flow]") {
  const auto [bytes, reason, remedy] =
      GENERATE(table<std::string, std::string_view, std::string_view>(
          {{std::string(32, '\0'), "all its bytes are zero", "delete it"},
           {"", "it is empty", "delete it"},
           {std::string(31, 'k'), "it has 31 bytes", "name another file"}}));
  SimulatedEdges edges(1);
  Edges& host = edges.host("server");
  REQUIRE(host.files().create_secret("server.key", as_bytes(bytes)));
  const auto server =
      GameServer::open(Build::open(build_folder(), Target::server, make_game()), host, {});
  REQUIRE_FALSE(server);
  CHECK(server.error().code == ErrorCode::malformed);
  CHECK(server.error().message.find("'server.key'") != std::string::npos);
  CHECK(server.error().message.find(reason) != std::string::npos);
  CHECK(server.error().message.find(remedy) != std::string::npos);
}

TEST_CASE("A key file in a missing folder is an error that names the folder", "[session][flow]") {
  const TemporaryFolder folder;
  SystemEdges edges;
  const auto server =
      GameServer::open(Build::open(build_folder(), Target::server, make_game()), edges,
                       {.listen = "127.0.0.1:0", .key_file = folder.path() + "/keys/x.key"});
  REQUIRE_FALSE(server);
  CHECK(server.error().code == ErrorCode::not_found);
  CHECK(server.error().message.find("the folder '" + folder.path() + "/keys' does not exist") !=
        std::string::npos);
  CHECK(server.error().message.find("create it") != std::string::npos);
}

}  // namespace
}  // namespace muster
