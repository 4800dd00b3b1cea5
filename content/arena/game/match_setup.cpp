#include "content/arena/game/match_setup.h"

#include <muster/seed.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "content/arena/game/rules.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster

namespace {

constexpr std::string_view kStillText = "all stands still";

EntityId spawn(GameServer& server, TypeId type, Random& random, PlayerId owner = PlayerId::none) {
  const EntityId entity = server.spawn(type, {.owner = owner});
  const auto along = [&] { return static_cast<float>(random.below(6001)) / 100 - 30; };
  const float x = along();
  const float z = along();
  // Some entities have no position.
  if (auto* const at = server.edit<Transform>(entity)) at->position = {x, 0, z};
  return entity;
}

void join(GameServer& server, PlayerId player, std::uint64_t seed) {
  Random random(seed + 0x10000 * static_cast<std::uint64_t>(player));
  const EntityId character = spawn(server, types::kCharacter, random, player);
  server.set_view(player, character);
  server.spawn(types::kAbilities, {.owner = player});
  PlayerState state;
  state.player_id = static_cast<std::int32_t>(player);
  state.controlled_entity = server.reference(character);
  const std::string name = "player " + std::to_string(static_cast<int>(player));
  std::ranges::copy(name, state.player_name.bytes.begin());
  server.spawn(types::kPlayerState, {.owner = player}, state);
}

}  // namespace

void set_up_match(GameServer& server, std::uint64_t seed) {
  Random random(seed);
  server.spawn(types::kGameMode);
  const auto spawn_all = [&](TypeId type, int count) {
    for (int i = 0; i < count; ++i) spawn(server, type, random);
  };
  spawn_all(types::kCrate, 24);
  spawn_all(types::kBarrel, 6);
  spawn_all(types::kToxicBarrel, 2);
  spawn_all(types::kDoor, 4);
  spawn_all(types::kCapturePoint, 3);
  spawn_all(types::kHealthPickup, 4);
  spawn_all(types::kAmmoPickup, 4);
  spawn_all(types::kPlatform, 6);
  spawn_all(types::kFlag, 2);
  server.on_join([&server, seed](PlayerId player) { join(server, player, seed); });
}

void end_match(GameServer& server) {
  server.each<GameMode>([](GameMode& mode) { mode.phase = MatchPhase::over; });
  Announcement still;
  std::ranges::copy(kStillText, still.text.bytes.begin());
  server.send_all(still, {.timing = Timing::at_tick});
}

}  // namespace arena
