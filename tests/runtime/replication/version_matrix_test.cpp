// Servers and clients of adjacent versions of a game over a connection: from the server's schema to
// the client's world.
#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "tests/support/bridge_stage.h"
#include "tests/support/described_samples.h"

namespace muster {
namespace {

using samples::BridgeBuild;
using samples::BridgeStage;
using samples::kClientPlayer;
using samples::kCrateType;

/// Later versions remove `weight`, add `heat` and `isHot`, change the number types of `plates` and
/// `points`, the type of `mark`, and the receivers of `secret`.
struct ShieldBefore {
  float points = 50;
  std::uint8_t plates = 2;
  std::int32_t weight = 9;
  std::int32_t mark = 3;
  float secret = 1;
};
struct ShieldNow {
  float points = 60;
  std::int16_t plates = 3;
  float heat = 17;
  std::int32_t mark = 4;
  float secret = 2;
};
struct ShieldAfter {
  double points = 70;
  float plates = 4;
  float heat = 18;
  bool is_hot = true;
  bool mark = true;
  float secret = 3;
};
/// A component that the next version does not have.
struct Cape {
  float length = 5;
};
/// A component that the previous version does not have.
struct Wings {
  float span = 6;
};

consteval auto describe(Type<ShieldBefore>) {
  return Describe<ShieldBefore>("Shield")
      .field<&ShieldBefore::points>("points", {.minimum = 0, .maximum = 100, .resolution = 1})
      .field<&ShieldBefore::plates>("plates")
      .field<&ShieldBefore::weight>("weight")
      .field<&ShieldBefore::mark>("mark")
      .field<&ShieldBefore::secret>("secret");
}
consteval auto describe(Type<ShieldNow>) {
  return Describe<ShieldNow>("Shield")
      .field<&ShieldNow::points>("points", {.minimum = 0, .maximum = 200, .resolution = 0.5})
      .field<&ShieldNow::plates>("plates", {.minimum = -10, .maximum = 100, .resolution = 1})
      .field<&ShieldNow::heat>("heat")
      .field<&ShieldNow::mark>("mark")
      .field<&ShieldNow::secret>("secret", {.receivers = Receivers::owner});
}
consteval auto describe(Type<ShieldAfter>) {
  return Describe<ShieldAfter>("Shield")
      .field<&ShieldAfter::points>("points")
      .field<&ShieldAfter::plates>("plates", {.resolution = 0.5})
      .field<&ShieldAfter::heat>("heat")
      .field<&ShieldAfter::is_hot>("isHot")
      .field<&ShieldAfter::mark>("mark")
      .field<&ShieldAfter::secret>("secret", {.receivers = Receivers::all_but_owner});
}
consteval auto describe(Type<Cape>) {
  return Describe<Cape>("Cape").field<&Cape::length>("length");
}
consteval auto describe(Type<Wings>) {
  return Describe<Wings>("Wings").field<&Wings::span>("span");
}

template <typename Shield>
constexpr bool kHasCape = !std::is_same_v<Shield, ShieldAfter>;
template <typename Shield>
constexpr bool kHasWings = !std::is_same_v<Shield, ShieldBefore>;

template <typename T>
void add_component(BridgeBuild& build) {
  const ComponentDescription description = description_of<T>();
  const T value{};
  const Bytes bytes = samples::bytes_of(value);
  build.components.push_back(description);
  build.crate.push_back(
      {.type = description.name,
       .document = {},
       .cooked = CookedComponent{description.hash(), {bytes.begin(), bytes.end()}}});
}

/// Returns the build of the version with this shield.
template <typename Shield>
BridgeBuild build_with() {
  BridgeBuild build;
  if constexpr (kHasCape<Shield>) add_component<Cape>(build);
  add_component<Shield>(build);
  if constexpr (kHasWings<Shield>) add_component<Wings>(build);
  return build;
}

enum class Sent : std::uint8_t { to_all, to_owner, to_others };

template <typename Shield>
constexpr Sent kSecret = std::is_same_v<Shield, ShieldBefore> ? Sent::to_all
                         : std::is_same_v<Shield, ShieldNow>  ? Sent::to_owner
                                                              : Sent::to_others;

/// Checks a crate of one version's server on another version's client, after `points` was set.
template <typename Server, typename Client>
void check_crate(BridgeStage& stage, std::int32_t id, double points, bool is_mine) {
  CAPTURE(id, points);
  const World& world = stage.client_world;
  const EntityId crate = stage.seen.find({id});
  REQUIRE_FALSE(crate.is_null());
  const auto* got = world.get(stage.client_world.component<Client>("Shield"), crate);
  REQUIRE(got != nullptr);
  const Client fresh;
  CHECK(static_cast<double>(got->points) == points);
  CHECK(static_cast<double>(got->plates) == 6);
  constexpr bool kIsSame = std::is_same_v<Server, Client>;
  if constexpr (requires { got->weight; }) CHECK(got->weight == (kIsSame ? 77 : fresh.weight));
  if constexpr (requires { got->heat; }) {
    constexpr bool kIsSent = requires(Server sent) { sent.heat; };
    CHECK(got->heat == (kIsSent ? 78 : fresh.heat));
  }
  if constexpr (requires { got->is_hot; }) CHECK(got->is_hot == !kIsSame);
  constexpr bool kIsSameMark = std::is_same_v<decltype(Server::mark), decltype(Client::mark)>;
  CHECK(got->mark == (kIsSameMark ? decltype(Client::mark)(0) : fresh.mark));
  const Sent to = kSecret<Server>;
  const bool is_sent = to == Sent::to_all || (to == Sent::to_owner) == is_mine;
  CHECK(got->secret == (is_sent ? 80.0F : fresh.secret));
  if constexpr (kHasCape<Client>) {
    const Cape* cape = world.get(stage.client_world.component<Cape>("Cape"), crate);
    REQUIRE(cape != nullptr);
    CHECK(cape->length == (kHasCape<Server> ? 81.0F : Cape{}.length));
  }
  if constexpr (kHasWings<Client>) {
    const Wings* wings = world.get(stage.client_world.component<Wings>("Wings"), crate);
    REQUIRE(wings != nullptr);
    CHECK(wings->span == (kHasWings<Server> ? 82.0F : Wings{}.span));
  }
}

template <typename Server>
void change_crate(BridgeStage& stage, std::int32_t id) {
  World& world = stage.world;
  const EntityId crate = stage.collection.find({id});
  Server& shield = *world.get(world.component<Server>("Shield"), crate);
  shield.points = 42;
  shield.plates = 6;
  if constexpr (requires { shield.weight; }) shield.weight = 77;
  if constexpr (requires { shield.heat; }) shield.heat = 78;
  if constexpr (requires { shield.is_hot; }) shield.is_hot = false;
  shield.mark = decltype(Server::mark)(0);
  shield.secret = 80;
  if constexpr (kHasCape<Server>) world.get(world.component<Cape>("Cape"), crate)->length = 81;
  if constexpr (kHasWings<Server>) world.get(world.component<Wings>("Wings"), crate)->span = 82;
}

/// Plays a match. `notes` are the names that the client's notes must contain.
template <typename Server, typename Client>
void play(const std::vector<std::string>& notes) {
  BridgeStage stage({.server = build_with<Server>(),
                     .client = build_with<Client>(),
                     .link = {.latency = std::chrono::milliseconds(30), .loss = 0.05},
                     .checksum_interval = 1});
  stage.spawn(1, kCrateType, kClientPlayer);
  stage.spawn(2, kCrateType, PlayerId(4));
  change_crate<Server>(stage, 1);
  change_crate<Server>(stage, 2);
  stage.run(120);
  REQUIRE(stage.client.phase() == ReplicationPhase::playing);
  check_crate<Server, Client>(stage, 1, 42, true);
  check_crate<Server, Client>(stage, 2, 42, false);
  std::vector<std::string> reported = stage.receiver.drain_notes();
  CAPTURE(reported);
  REQUIRE(reported.size() == notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    CHECK(reported[i].find("'" + notes[i] + "'") != std::string::npos);
  }
  const auto handle = stage.world.component<Server>("Shield");
  for (int i = 0; i < 200; ++i) {
    for (const std::int32_t id : {1, 2}) {
      stage.world.get(handle, stage.collection.find({id}))->points = static_cast<float>(i % 90);
    }
    stage.step();
  }
  stage.run(60);
  check_crate<Server, Client>(stage, 1, 199 % 90, true);
  check_crate<Server, Client>(stage, 2, 199 % 90, false);
  CHECK(stage.receiver.drain_notes().empty());
  CHECK(stage.client.counters().checksums > 40);
  CHECK(stage.client.counters().divergences == 0);
  CHECK(stage.client.counters().resyncs == 0);
  CHECK(stage.server.view(ClientId{1})->counters().divergences == 0);
  CHECK(stage.server.view(ClientId{1})->counters().resyncs == 0);
  CHECK(stage.server_log.all.empty());
  // Verifies that the check detects a wrong field.
  const auto here = stage.client_world.component<Client>("Shield");
  stage.client_world.remove(here.id(), stage.seen.find({1}));
  stage.run(120);
  CHECK(stage.client.counters().divergences > 0);
  CHECK(stage.client_world.get(here, stage.seen.find({1})) != nullptr);
}

}  // namespace

TEST_CASE("Over a connection, adjacent versions apply all fields that both have",
          "[runtime][replication][sys-38][sys-39]") {
  SECTION("old server and old client") { play<ShieldBefore, ShieldBefore>({}); }
  SECTION("old server and present client") { play<ShieldBefore, ShieldNow>({"Shield.weight"}); }
  SECTION("old server and new client") {
    play<ShieldBefore, ShieldAfter>({"Cape", "Shield.weight", "Shield.mark"});
  }
  SECTION("present server and old client") {
    play<ShieldNow, ShieldBefore>({"Shield.heat", "Wings"});
  }
  SECTION("present server and present client") { play<ShieldNow, ShieldNow>({}); }
  SECTION("present server and new client") {
    play<ShieldNow, ShieldAfter>({"Cape", "Shield.mark"});
  }
  SECTION("new server and old client") {
    play<ShieldAfter, ShieldBefore>({"Shield.heat", "Shield.isHot", "Shield.mark", "Wings"});
  }
  SECTION("new server and present client") {
    play<ShieldAfter, ShieldNow>({"Shield.isHot", "Shield.mark"});
  }
  SECTION("new server and new client") { play<ShieldAfter, ShieldAfter>({}); }
}

}  // namespace muster
