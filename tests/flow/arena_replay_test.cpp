// A match that was recorded, played again.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "content/arena/game/match_recording.h"
#include "content/arena/game/match_replay.h"
#include "tests/support/arena_evening.h"

namespace muster {
namespace {

struct Recorded {
  std::vector<std::byte> file;
  std::uint32_t last_tick = 0;
  std::string world;  ///< Of the server at the end, with every field.
};

/// Every field of every entity, whoever may receive it, as the server's world has it.
std::string text_of(const ReplicatedWorld& world) {
  ReplicationSchema schema = world.schema();
  for (ComponentSchema& component : schema.components) {
    for (FieldSchema& field : component.fields) field.receivers = SchemaReceivers::everyone;
  }
  arena::WorldValues all(schema);
  std::vector<std::int64_t> values;
  for (const ReplicatedEntity& entity : world.entities()) {
    values.assign(schema.value_count(entity.options.type), 0);
    for (const SeenBy seen_by : {SeenBy::others, SeenBy::owner}) {
      const TypeView& view =
          world.views().view(world.views().codec_type(entity.options.type, seen_by));
      view.from_lanes(std::span(entity.row(seen_by), view.parts.size()), values);
    }
    all.add(entity.id, entity.options.type, SeenBy::others, values);
  }
  return all.text();
}

/// Eight seconds with two players, of whom one leaves; the last two stand still.
const Recorded& recorded() {
  static const Recorded once = [] {
    Evening evening(3, {.still_from_tick = 6 * 60});
    RecordingWriter writer({.ticks_per_second = 60, .keyframe_ticks = 60},
                           evening.server->replicated().schema());
    arena::begin_match(writer, *evening.server);
    evening.server->record(&writer);
    evening.join();
    evening.join();
    evening.run(std::chrono::seconds(4));
    evening.seats.front()->client->leave();
    evening.run(std::chrono::seconds(4));
    evening.server->record(nullptr);
    writer.finish();
    return Recorded{.file = {writer.pending().begin(), writer.pending().end()},
                    .last_tick = evening.server->tick().value(),
                    .world = text_of(evening.server->replicated())};
  }();
  return once;
}

/// A client's build, and what is loaded of it.
struct Screen {
  FileSystemSource source{arena_build(), AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads loads{source, store.catalog()};
  BundleLoader loader{store, loads, {}};

  auto open(std::span<const std::byte> file, double from_seconds = 0) {
    return arena::MatchReplay::open(store, loader, file, {.from_seconds = from_seconds});
  }
};

}  // namespace

TEST_CASE("A recorded match plays as it was, from its beginning and from elsewhere",
          "[flow][arena][recording]") {
  const double from_seconds = GENERATE(0.0, 0.9, 3.7, 7.5);
  CAPTURE(from_seconds);
  Screen screen;
  auto opened = screen.open(recorded().file, from_seconds);
  REQUIRE(opened);
  arena::MatchReplay& replay = *opened.value();
  const std::uint32_t first = replay.first_tick();
  CHECK(first <= 1 + from_seconds * 60);
  CHECK(first + 3 > from_seconds * 60);
  std::vector<std::string> lines;
  do {
    std::ranges::move(replay.take_lines(), std::back_inserter(lines));
  } while (replay.step());
  CHECK_FALSE(replay.complaint());
  CHECK(replay.take_problems().empty());
  CHECK(replay.tick() == recorded().last_tick);
  CHECK(std::chrono::duration<double>(replay.played()).count() ==
        Approx((recorded().last_tick - first) / 60.0));
  CHECK(replay.world().text() == recorded().world);
  CHECK(replay.summary().failed_loads == 0);
  CHECK(replay.summary().completion.count == replay.summary().spawned);
  const bool is_before_the_end = from_seconds < 6;
  CHECK(replay.summary().is_still == is_before_the_end);
  CHECK((std::ranges::find_if(lines, [](const std::string& line) {
           return line.find("all stands still") != std::string::npos;
         }) != lines.end()) == is_before_the_end);
  if (from_seconds == 0) {
    CHECK(replay.summary().despawned > 5);
    CHECK(replay.effects().played > 20);
    CHECK(replay.shown_count() > 20);
  }
}

TEST_CASE("A match in another level plays without what is placed in this one",
          "[flow][arena][recording][sys-15]") {
  Screen screen;
  const auto info = arena::match_info(arena::agreement_of(screen.store.catalog()));
  std::vector<std::byte> file = recorded().file;
  const auto place = std::search(file.begin(), file.end(), info.begin(), info.end());
  REQUIRE(place != file.end());
  const auto play = [&] {
    auto opened = screen.open(file);
    REQUIRE(opened);
    const std::vector<std::string> lines = opened.value()->take_lines();
    while (opened.value()->step()) {
    }
    CHECK(opened.value()->world().text() == recorded().world);
    return std::ranges::count_if(
        lines, [](const std::string& line) { return line.starts_with("the match has another"); });
  };
  CHECK(play() == 0);
  *(place + std::ssize(info)) ^= std::byte{1};  // The first byte behind it: of what is placed.
  CHECK(play() == 1);
}

TEST_CASE("A recording that ends anywhere plays until there, and says that it is cut",
          "[flow][arena][recording]") {
  const std::vector<std::byte>& file = recorded().file;
  std::uint32_t last = 0;
  for (std::size_t share = 0; share < 24; ++share) {
    const std::size_t bytes = file.size() * share / 24 + share % 3;
    CAPTURE(bytes);
    Screen screen;
    auto opened = screen.open(std::span(file).first(bytes));
    if (!opened) {
      CHECK(bytes < file.size() / 2);  // The head is a third of it.
      CHECK_FALSE(opened.error().message.empty());
      continue;
    }
    while (opened.value()->step()) {
    }
    CHECK(opened.value()->tick() >= last);
    last = opened.value()->tick();
    CHECK(last < recorded().last_tick);
    // It may have been cut between two ticks: then it is what the server had written so far.
    const auto complaint = opened.value()->complaint();
    if (complaint) CHECK(complaint->find("cut short") != std::string::npos);
  }
  CHECK(last > recorded().last_tick / 2);
}

TEST_CASE("What cannot be played is refused with a reason", "[flow][arena][recording]") {
  Screen screen;
  SECTION("no recording") {
    const std::vector<std::byte> bytes(1'000, std::byte{7});
    const auto opened = screen.open(bytes);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::malformed);
    CHECK(screen.open({}).error().code == ErrorCode::malformed);
  }
  SECTION("of another game, or of other content") {
    const auto info = arena::match_info(arena::agreement_of(screen.store.catalog()));
    const auto place =
        std::search(recorded().file.begin(), recorded().file.end(), info.begin(), info.end()) -
        recorded().file.begin();
    REQUIRE(place < std::ssize(recorded().file));
    const auto refused = [&](std::ptrdiff_t byte) {
      std::vector<std::byte> file = recorded().file;
      file[static_cast<std::size_t>(place + byte)] ^= std::byte{1};
      return screen.open(file).error().code;
    };
    CHECK(refused(0) == ErrorCode::malformed);
    CHECK(refused(8) == ErrorCode::hash_mismatch);
  }
  SECTION("without a tick") {
    RecordingWriter writer({}, Evening(1).server->replicated().schema());
    writer.finish();
    CHECK(screen.open(writer.pending()).error().code == ErrorCode::truncated);
  }
  SECTION("from behind its end") {
    CHECK(screen.open(recorded().file, 9).error().code == ErrorCode::not_found);
    CHECK(screen.open(recorded().file, 1e300).error().code == ErrorCode::not_found);
  }
}

}  // namespace muster
