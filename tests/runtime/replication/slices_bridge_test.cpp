// Entities larger than a datagram, from the server's components to the client's components.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/components/describe.h"
#include "tests/support/bridge_stage.h"
#include "tests/support/described_samples.h"

namespace muster {
namespace {

using samples::BridgeBuild;
using samples::BridgeStage;
using samples::kCrateType;

/// A slice contains 129 of these numbers.
struct Load1 {
  std::array<std::int32_t, 50> a{};
};
struct Load3 {
  std::array<std::int32_t, 120> a{};
  std::array<std::int32_t, 120> b{};
  std::array<std::int32_t, 100> c{};
};
struct Load7 {
  std::array<std::int32_t, 200> a{};
  std::array<std::int32_t, 200> b{};
  std::array<std::int32_t, 200> c{};
  std::array<std::int32_t, 250> d{};
};
consteval auto describe(Type<Load1>) { return Describe<Load1>("Load").field<&Load1::a>("a"); }
consteval auto describe(Type<Load3>) {
  return Describe<Load3>("Load").field<&Load3::a>("a").field<&Load3::b>("b").field<&Load3::c>("c");
}
consteval auto describe(Type<Load7>) {
  return Describe<Load7>("Load")
      .field<&Load7::a>("a")
      .field<&Load7::b>("b")
      .field<&Load7::c>("c")
      .field<&Load7::d>("d");
}

template <typename T>
BridgeBuild build_with() {
  BridgeBuild build;
  const ComponentDescription description = description_of<T>();
  const T value{};
  const Bytes bytes = samples::bytes_of(value);
  build.components.push_back(description);
  build.crate.push_back(
      {.type = description.name,
       .document = {},
       .cooked = CookedComponent{description.hash(), {bytes.begin(), bytes.end()}}});
  return build;
}

template <typename T>
std::span<std::int32_t> numbers(T& load) {
  return {reinterpret_cast<std::int32_t*>(&load), sizeof(T) / sizeof(std::int32_t)};
}

template <typename T>
void play(std::uint64_t seed) {
  Random random(seed);
  const LinkOptions link{.latency = std::chrono::milliseconds(random.below(60)),
                         .jitter = std::chrono::milliseconds(random.below(3) * 20),
                         .loss = 0.1 * static_cast<double>(random.below(4))};
  const BridgeBuild build = build_with<T>();
  BridgeStage stage({.server = build, .client = build, .link = link, .checksum_interval = 1});
  const auto load = stage.world.template component<T>("Load");
  std::vector<EntityId> entities;
  const std::uint64_t count = 1 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    entities.push_back(stage.spawn(static_cast<std::int32_t>(20 + i), kCrateType));
  }
  // A tick changes all numbers of an entity, or a few numbers, or one slice for many ticks.
  const std::uint64_t ticks = 60 + random.below(60);
  for (std::uint64_t tick = 0; tick < ticks; ++tick) {
    for (const EntityId entity : entities) {
      const std::span<std::int32_t> all = numbers(*stage.world.get(load, entity));
      switch (random.below(6)) {
        case 0:
          for (std::int32_t& number : all) number = static_cast<std::int32_t>(random.next());
          break;
        case 1:
          for (int i = 0; i < 3; ++i) {
            all[random.below(all.size())] = static_cast<std::int32_t>(random.next());
          }
          break;
        case 2:
          all.front() = static_cast<std::int32_t>(tick);
          break;
        case 3:
          all.back() = static_cast<std::int32_t>(tick);
          break;
        default:
          break;
      }
    }
    stage.step();
  }
  stage.run(250);
  const auto client_load = stage.client_world.template component<T>("Load");
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const T* got = stage.received(client_load, static_cast<std::int32_t>(20 + i));
    REQUIRE(got != nullptr);
    REQUIRE(std::memcmp(got, stage.world.get(load, entities[i]), sizeof(T)) == 0);
  }
  REQUIRE(stage.server_log.all.empty());
  REQUIRE(stage.client_log.all.empty());
  REQUIRE(stage.client.counters().resyncs == 0);
  REQUIRE(stage.client.counters().divergences == 0);
  REQUIRE(stage.receiver.counters().stale == 0);
}

}  // namespace

TEST_CASE(
    "When changes stop, a component in slices equals the server's, and no divergence is reported",
    "[runtime][replication]") {
  // The option --rng-seed selects other worlds.
  const std::uint64_t first = 1 + std::uint64_t{Catch::rngSeed()} * 1'000;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    CAPTURE(seed);
    play<Load1>(seed);
    play<Load3>(seed);
    play<Load7>(seed);
  }
}

}  // namespace muster
