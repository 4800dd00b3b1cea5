// The cost of replication.
#include <thread>

#include <catch2/catch.hpp>

#include "tests/support/allocation_counter.h"
#include "tests/support/replication_stage.h"

namespace muster {
namespace {

/// A busy world whose values repeat, so that no new memory is needed.
void populate(ReplicationStage& stage) {
  stage.step([&] {
    for (std::uint32_t id = 0; id < 100; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                  .relevance = id % 3 == 0 ? Relevance::near : Relevance::always,
                                  .position = {.x = static_cast<float>(id)}});
    }
  });
}

}  // namespace

TEST_CASE("A server that replicates allocates nothing in steady state", "[net][replication]") {
  ReplicationServerOptions options;
  options.classes = {{.radius = 500}};  // With this radius, no entity enters or leaves a view.
  ReplicationStage stage(1, options);
  for (int i = 0; i < 3; ++i) {
    const ReplicationStage::Client& client = stage.join({.latency = std::chrono::milliseconds(30)});
    stage.server.set_view_position(client.id, {});
  }
  populate(stage);
  std::vector<std::vector<std::int64_t>> values;
  for (const auto& [id, now] : stage.values) values.push_back(now);
  std::uint64_t in_server = 0;
  std::uint64_t in_client = 0;
  constexpr int kWarmUp = 700;  // Rows are kept for a shorter time.
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t before = allocation_count();
    stage.server.begin_tick(Tick(++stage.tick));
    for (std::uint32_t id = 0; id < 100; ++id) {
      if ((id + stage.tick) % 3 != 0) continue;
      std::vector<std::int64_t>& now = values[id];
      now[0] = stage.tick % 1'000;
      stage.server.world().set(NetworkId{id}, now);
      stage.server.world().set_position(NetworkId{id},
                                        {.x = static_cast<float>(stage.tick % 50 + id)});
    }
    stage.server.end_tick();
    if (i >= kWarmUp) in_server += allocation_count() - before;
    for (const auto& client : stage.clients) {
      ConnectionPair& pair = *client->pair;
      pair.now += stage.tick_length;
      pair.network.advance(pair.now);
      pair.a->receive(pair.now);
      pair.b->receive(pair.now);
      const std::uint64_t at_update = allocation_count();
      stage.server.update(client->id, pair.a->connection, pair.now);
      const std::uint64_t between = allocation_count();
      client->replication->update(pair.b->connection);
      client->replication->clear();
      const std::uint64_t at_end = allocation_count();
      if (i >= kWarmUp) {
        in_server += between - at_update;
        in_client += at_end - between;
      }
      pair.a->send(pair.now);
      pair.b->send(pair.now);
    }
  }
  CHECK(in_server == 0);
  CHECK(in_client == 0);
  for (const auto& client : stage.clients) {
    CHECK(stage.server.view(client->id)->counters().snapshots > 250);
  }
}

TEST_CASE("An unchanged world costs no work per entity, for any client", "[net][replication]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  ReplicationStage stage(3, options);
  for (int i = 0; i < 3; ++i) stage.server.set_view_position(stage.join().id, {});
  stage.step([&] {
    for (std::uint32_t id = 0; id < 400; ++id) {
      stage.spawn(NetworkId{id}, {.type = SchemaType{static_cast<std::uint16_t>(id % 2)},
                                  .relevance = id % 3 == 0 ? Relevance::near : Relevance::always});
    }
  });
  stage.run(200);
  const auto checked = [&] {
    std::uint64_t sum = 0;
    for (const auto& client : stage.clients) {
      sum += stage.server.view(client->id)->checked_count();
    }
    return sum;
  };
  const std::uint64_t when_idle = checked();
  stage.run(50);
  CHECK(checked() == when_idle);
  // A changed entity is checked until all clients have it and it is idle again. Its neighbours are
  // not checked.
  stage.step([&] { stage.stir(NetworkId{200}); });
  stage.run(100);
  const std::uint64_t after = checked();
  CHECK(after > when_idle);
  CHECK(after - when_idle < 3U * 100 * 5);
  stage.run(50);
  CHECK(checked() == after);
  for (const auto& client : stage.clients) CHECK(stage.difference(*client).empty());
}

TEST_CASE("Equal interest options cost no work per entity, for any client", "[net][replication]") {
  ReplicationServerOptions options;
  options.snapshot_ticks = 1;
  options.classes = {{.radius = 500}, {.radius = 500}};
  ReplicationStage stage(3, options);
  for (int i = 0; i < 3; ++i) stage.server.set_view_position(stage.join().id, {});
  populate(stage);
  stage.run(200);
  const auto checked = [&] {
    std::uint64_t sum = 0;
    for (const auto& client : stage.clients) {
      sum += stage.server.view(client->id)->checked_count();
    }
    return sum;
  };
  const std::uint64_t when_idle = checked();
  const auto set_interest = [&](std::uint8_t update_class) {
    stage.step([&] {
      for (std::uint32_t id = 0; id < 100; ++id) {
        const Relevance relevance = id % 3 == 0 ? Relevance::near : Relevance::always;
        stage.server.world().set_interest(NetworkId{id}, relevance, 0, update_class);
      }
    });
  };
  for (int i = 0; i < 50; ++i) set_interest(0);
  CHECK(checked() == when_idle);
  // Both classes have the same radius, so the set of entities does not change.
  for (std::uint8_t i = 0; i < 50; ++i) set_interest(i % 2);
  CHECK(checked() - when_idle <= 3U * 100 * 50 / 4);
  for (const auto& client : stage.clients) CHECK(stage.difference(*client).empty());
}

TEST_CASE("Clients receive the same bytes when several threads serve them", "[net][replication]") {
  const auto play = [](bool has_threads) {
    ReplicationStage stage(5);
    for (int i = 0; i < 4; ++i) stage.server.set_view_position(stage.join().id, {});
    populate(stage);
    std::vector<std::uint64_t> bytes;
    for (int i = 0; i < 200; ++i) {
      stage.server.begin_tick(Tick(++stage.tick));
      for (std::uint32_t id = 0; id < 100; id += 3) stage.stir(NetworkId{id});
      stage.server.end_tick();
      const auto serve = [&](std::size_t k) {
        ConnectionPair& pair = *stage.clients[k]->pair;
        stage.server.update(stage.clients[k]->id, pair.a->connection, pair.now);
      };
      for (const auto& client : stage.clients) {
        client->pair->now += stage.tick_length;
        client->pair->network.advance(client->pair->now);
        client->pair->a->receive(client->pair->now);
        client->pair->b->receive(client->pair->now);
      }
      if (has_threads) {
        std::vector<std::jthread> threads;
        for (std::size_t k = 0; k < 4; ++k) threads.emplace_back([&, k] { serve(k); });
      } else {
        for (std::size_t k = 0; k < 4; ++k) serve(k);
      }
      for (const auto& client : stage.clients) {
        client->replication->update(client->pair->b->connection);
        client->world.apply(*client->replication);
        client->replication->clear();
        client->pair->a->send(client->pair->now);
        client->pair->b->send(client->pair->now);
      }
    }
    stage.run(30);
    for (const auto& client : stage.clients) {
      CHECK(stage.difference(*client).empty());
      bytes.push_back(stage.server.view(client->id)->counters().snapshot_bytes);
    }
    return bytes;
  };
  CHECK(play(false) == play(true));
}

}  // namespace muster
