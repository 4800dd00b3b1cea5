// Plays a recorded match.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "runtime/session/world_text.h"
#include "tests/support/arena_evening.h"

namespace muster {
namespace {

constexpr std::string_view kPath = "match.mrec";

struct Recorded {
  ByteVector file;
  std::uint32_t last_tick = 0;
  std::string world;  ///< The server's world at the end, as text.
};

/// Returns the server's world as text, with all fields for all receivers.
std::string text_of(const ReplicatedWorld& world) {
  ReplicationSchema schema = world.schema();
  for (ComponentSchema& component : schema.components) {
    for (FieldSchema& field : component.fields) field.receivers = Receivers::everyone;
  }
  WorldText all(schema);
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

/// Records a match of eight seconds. One of two players leaves. Nothing moves in the last seconds.
const Recorded& recorded() {
  static const Recorded once = [] {
    Evening evening(3);
    REQUIRE(evening.server().record(std::string(kPath)));
    evening.join();
    evening.join();
    evening.run(std::chrono::seconds(4));
    evening.seats.front()->client.leave();
    evening.run(std::chrono::seconds(2));
    evening.end();
    evening.server().stop_recording();
    return Recorded{
        .file = evening.match->edges().host("server").files().read(std::string(kPath)).value(),
        .last_tick = evening.server().tick().value(),
        .world = text_of(SessionAccess::members(evening.server()).replication->world())};
  }();
  return once;
}

/// A viewer of a recording, on a separate machine.
struct Screen {
  explicit Screen(std::span<const std::byte> file) {
    auto written = edges.host("screen").files().create(std::string(kPath));
    REQUIRE(written);
    REQUIRE(written.value()->append(file));
    opened = GameClient::play_recording(
        Build::open(arena_folder(), Target::client, arena::make_game()), edges.host("screen"),
        std::string(kPath), {.loading_threads = 0});
  }
  GameClient& client() { return *opened.value(); }
  void play() {
    client().on_message<arena::Announcement>(
        [this](const arena::Announcement&) { is_still = true; });
    client().on_problem([this](const Problem& problem) { problems.push_back(problem); });
    for (int i = 0; i < 10'000 && !client().is_over(); ++i) {
      edges.advance(std::chrono::milliseconds(50));
      client().run_frame();
    }
    REQUIRE(client().is_over());
  }

  SimulatedEdges edges{1};
  Result<std::unique_ptr<GameClient>> opened = fail(ErrorCode::cancelled, "");
  std::vector<Problem> problems;
  bool is_still = false;
};

TEST_CASE("A recorded match plays identically from its beginning and from any tick",
          "[flow][arena][recording]") {
  const std::uint32_t from = GENERATE(0U, 54U, 222U, 400U);
  CAPTURE(from);
  Screen screen(recorded().file);
  REQUIRE(screen.opened);
  if (from > 0) REQUIRE(screen.client().seek(Tick(from)));
  screen.play();
  CHECK(screen.client().end().is_good);
  CHECK(screen.problems.empty());
  const GameClientMetrics metrics = screen.client().metrics();
  CHECK(metrics.confirmed_tick.value() == recorded().last_tick);
  CHECK(screen.client().world_text() == recorded().world);
  CHECK(metrics.loads_failed == 0);
  // An entity that despawns in the frame of its spawn is not loaded.
  CHECK(metrics.loads + 5 > metrics.spawned);
  CHECK(screen.is_still == (from < 360));
  if (from == 0) {
    CHECK(metrics.despawned > 5);
    CHECK(metrics.effects_played > 20);
    CHECK(metrics.presentations > 20);
  }
}

TEST_CASE("A recording of another level plays without the placed entities of the viewer's level",
          "[flow][arena][recording][sys-15]") {
  const Guid level = SessionAccess::members(Evening(3).server()).level_guid;
  ByteVector file = recorded().file;
  const Bytes name = level.bytes();
  const auto found = std::search(file.begin(), file.end(), name.begin(), name.end());
  REQUIRE(found != file.end());
  *(found + std::ssize(name)) ^= std::byte{1};  // The first byte of `placed_hash`.
  Screen screen(file);
  REQUIRE(screen.opened);
  screen.play();
  CHECK(screen.client().world_text() == recorded().world);
  REQUIRE(screen.problems.size() == 1);
  CHECK(screen.problems.front().kind == ProblemKind::content_differs);
}

TEST_CASE("A recording that is cut at any byte plays up to the cut, and the cut is reported",
          "[flow][arena][recording]") {
  const ByteVector& file = recorded().file;
  std::uint32_t last = 0;
  for (std::size_t share = 0; share < 12; ++share) {
    const std::size_t bytes = file.size() * share / 12 + share % 3;
    CAPTURE(bytes);
    const Bytes part = Bytes(file).first(bytes);
    Screen screen(part);
    if (!screen.opened) {
      CHECK(bytes < file.size() / 2);  // The head is a third of the file.
      CHECK_FALSE(screen.opened.error().message.empty());
      continue;
    }
    screen.play();
    const std::uint32_t tick = screen.client().metrics().confirmed_tick.value();
    CHECK(tick >= last);
    last = tick;
    CHECK(last < recorded().last_tick);
    // A file that is cut exactly between two ticks is a complete recording.
    const ClientEnd& end = screen.client().end();
    if (!end.is_good) CHECK(end.text.find("truncated") != std::string::npos);
  }
  CHECK(last > recorded().last_tick / 2);
}

TEST_CASE("A file that cannot be played is refused with a reason", "[flow][arena][recording]") {
  const std::vector<std::byte> bytes(1'000, std::byte{7});
  const Screen screen(bytes);
  REQUIRE_FALSE(screen.opened);
  CHECK(screen.opened.error().code == ErrorCode::malformed);
}

TEST_CASE("Seeking beyond the end of a recording is an error", "[flow][arena][recording]") {
  Screen screen(recorded().file);
  REQUIRE(screen.opened);
  REQUIRE(screen.client().seek(Tick(100'000)));
  screen.play();
  CHECK(screen.client().end().code == ErrorCode::not_found);
}

}  // namespace
}  // namespace muster
