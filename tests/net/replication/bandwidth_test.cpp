#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "net/replication/recording.h"
#include "tests/support/replication_course.h"

namespace muster {

TEST_CASE("Every coder makes a client's world equal to the server's",
          "[net][replication][sys-41][sys-42][sys-43][sys-44]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman,
                              SnapshotCoder::raw, SnapshotCoder::reference);
  ReplicationServerOptions options;
  options.coder = coder;
  ReplicationStage stage(9, options);
  ReplicationCourse course(stage);
  const LinkOptions link{.latency = std::chrono::milliseconds(40), .loss = 0.1};
  ReplicationStage::Client& client = stage.join(link, link);
  for (int i = 0; i < 400; ++i) stage.step([&] { course.live(); });
  stage.run(300);
  CHECK(stage.difference(client).empty());
  CHECK(client.replication->counters().malformed == 0);
  CHECK(client.replication->counters().snapshots > 100);
}

TEST_CASE("A meter counts the bytes of snapshots by type and field", "[net][replication]") {
  const auto coder = GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::huffman,
                              SnapshotCoder::raw, SnapshotCoder::reference);
  CAPTURE(coder);
  ReplicationServerOptions options;
  options.coder = coder;
  ReplicationStage stage(4, options);
  ReplicationClientOptions client_options;
  client_options.has_meter = true;
  ReplicationStage::Client& client = stage.join({}, {}, {}, client_options);
  stage.step([&] {
    for (std::uint32_t id = 0; id < 30; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                  .relevance = Relevance::always});
    }
  });
  for (int i = 0; i < 300; ++i) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 30; ++id) stage.stir(NetworkId{id});
    });
  }
  const std::optional<Bandwidth> bandwidth = client.replication->bandwidth();
  REQUIRE(bandwidth.has_value());
  CHECK(bandwidth->snapshots == client.replication->counters().snapshots);
  // `bits` is the information in all decisions. Slightly more bytes are sent, because the coder
  // rounds and each snapshot ends with a whole byte.
  const double bytes = bandwidth->bits() / 8;
  const auto travelled = static_cast<double>(bandwidth->bytes);
  CHECK(bytes < travelled);
  // The plain coders add at most the unused bits of the last byte.
  const bool is_plain = coder != SnapshotCoder::range && coder != SnapshotCoder::mix;
  const auto snapshots = static_cast<double>(bandwidth->snapshots);
  CHECK(bytes + (is_plain ? 7.0 / 8 : 6) * snapshots >= travelled);
  // The head of every snapshot is listed, with its number and its references.
  const auto head =
      std::ranges::find(bandwidth->rows, "number and references", &BandwidthRow::field);
  REQUIRE(head != bandwidth->rows.end());
  CHECK(head->bits > 8 * snapshots);
  CHECK(std::ranges::is_sorted(bandwidth->rows, std::ranges::greater(), &BandwidthRow::bits));
  const auto has = [&](const char* type, const char* component, const char* field) {
    return std::ranges::any_of(bandwidth->rows, [&](const BandwidthRow& row) {
      return row.section == "fields" && row.type == type && row.component == component &&
             row.field == field && row.bits > 1000;
    });
  };
  CHECK(has("7", "Motion", "position"));
  CHECK(has("7", "Health", "points"));
  CHECK(has("900", "Motion", "turn"));
  CHECK_FALSE(has("900", "Health", "points"));
  CHECK(table_of(*bandwidth).find("type 900: Motion.position") != std::string::npos);
}

TEST_CASE("Only changed entities are listed as updated", "[net][replication]") {
  ReplicationStage stage(6);
  ReplicationStage::Client& client = stage.join({.loss = 0.1}, {.loss = 0.1});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 50; ++id)
      stage.spawn(NetworkId{id}, {.relevance = Relevance::always});
  });
  stage.run(120);
  REQUIRE(stage.difference(client).empty());
  REQUIRE(client.world.updated == 0);
  for (int i = 0; i < 20; ++i) {
    stage.step([&] { stage.stir(NetworkId{7}); });
    stage.run(30);
  }
  CHECK(stage.difference(client).empty());
  CHECK(client.world.updated == 20);
  CHECK(client.world.spawned == 50);
  // The new owner receives the same entity in another view.
  stage.step([&] { stage.server.world().set_owner(NetworkId{9}, PlayerId{3}); });
  stage.run(30);
  CHECK(client.world.updated == 20);
}

TEST_CASE("Without a meter no bandwidth is counted", "[net][replication]") {
  ReplicationStage stage(4);
  ReplicationStage::Client& client = stage.join();
  stage.run(60);
  CHECK_FALSE(client.replication->bandwidth().has_value());
}

}  // namespace muster
