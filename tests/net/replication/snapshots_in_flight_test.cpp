// The lists of snapshots in flight, and the effect of delivery reports.
#include "net/replication/snapshots_in_flight.h"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

using Ids = std::vector<std::uint32_t>;

/// Adds a part of a tick's snapshot. Entities with odd ids are uncertain: they may be in another
/// part.
void add(SnapshotsInFlight& flights, SnapshotNumber number, std::uint32_t part, std::uint32_t tick,
         const Ids& ids) {
  SnapshotInFlight& flight = flights.add(number, part, Tick(tick));
  for (const std::uint32_t id : ids) {
    flight.listed.push_back({.entity = {.id = SliceId{id}}, .is_certain = id % 2 == 0});
  }
}

Ids settled(SnapshotsInFlight& flights, SnapshotNumber number) {
  const SnapshotInFlight* const flight = flights.deliver(number);
  REQUIRE(flight != nullptr);
  Ids ids;
  flights.settle(*flight, [&](const SnapshotInFlight& arrived, const ListedSlice& listed) {
    CHECK(arrived.tick == flight->tick);
    ids.push_back(codec_id(listed.entity.id));
  });
  return ids;
}

Ids disowned(SnapshotsInFlight& flights, SnapshotNumber number) {
  Ids ids;
  flights.disown(number,
                 [&](const ListedSlice& listed) { ids.push_back(codec_id(listed.entity.id)); });
  return ids;
}

}  // namespace

TEST_CASE("A snapshot is delivered once, and forgotten after a window of later snapshots",
          "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  add(*flights, 65'535, 0, 10, {2});
  REQUIRE(flights->find(65'535) != nullptr);
  CHECK(flights->find(65'534) == nullptr);
  const SnapshotInFlight* const flight = flights->deliver(65'535);
  REQUIRE(flight != nullptr);
  CHECK(flight->tick == Tick(10));
  CHECK(flights->deliver(65'535) == nullptr);
  CHECK(flights->find(65'535) == nullptr);
  CHECK(flights->tick_of(65'535) == Tick(10));
  add(*flights, static_cast<SnapshotNumber>(65'535 + kSnapshotWindow), 0, 80, {2});
  CHECK_FALSE(flights->tick_of(65'535).has_value());
  CHECK(flights->deliver(65'535) == nullptr);
}

TEST_CASE("The contents of a part are settled when all earlier parts have arrived",
          "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  add(*flights, 65'535, 0, 10, {2, 3});
  add(*flights, 0, 1, 10, {4, 5});
  add(*flights, 1, 2, 10, {6});
  CHECK(settled(*flights, 0).empty());
  CHECK(settled(*flights, 65'535) == Ids{2, 3, 4, 5});
  CHECK(settled(*flights, 1) == Ids{6});
}

TEST_CASE("Parts of different ticks are settled separately", "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  add(*flights, 1, 0, 10, {2});
  add(*flights, 2, 0, 11, {4});
  CHECK(settled(*flights, 2) == Ids{4});
  CHECK(settled(*flights, 1) == Ids{2});
}

TEST_CASE("A client that could not read a snapshot may also lack uncertain slices of its tick",
          "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  add(*flights, 1, 0, 10, {2, 3});
  add(*flights, 2, 1, 10, {4, 5});
  add(*flights, 3, 0, 11, {6, 7});
  CHECK(disowned(*flights, 1) == Ids{2, 3, 5});
  CHECK(flights->find(1) == nullptr);
  CHECK(flights->find(2) != nullptr);
  CHECK(disowned(*flights, 9).empty());
}

TEST_CASE("An entity is listed while a snapshot with it may arrive", "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  add(*flights, 1, 0, 10, {2});
  CHECK(flights->lists({.id = SliceId{2}}));
  CHECK_FALSE(flights->lists({.id = SliceId{2}, .generation = 1}));
  REQUIRE(flights->deliver(1) != nullptr);
  CHECK_FALSE(flights->lists({.id = SliceId{2}}));
}

TEST_CASE("The oldest age includes delivered snapshots, and is at least the minimum",
          "[net][replication]") {
  const auto flights = std::make_unique<SnapshotsInFlight>();
  CHECK(flights->oldest_ticks(Tick(100), 15) == 15);
  add(*flights, 1, 0, 60, {2});
  add(*flights, 2, 0, 90, {2});
  CHECK(flights->oldest_ticks(Tick(100), 15) == 40);
  REQUIRE(flights->deliver(1) != nullptr);
  CHECK(flights->oldest_ticks(Tick(100), 15) == 40);
  flights->clear();
  CHECK(flights->oldest_ticks(Tick(100), 15) == 15);
  CHECK(flights->find(2) == nullptr);
}

}  // namespace muster
