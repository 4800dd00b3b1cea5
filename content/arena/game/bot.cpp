#include "content/arena/game/bot.h"

#include <muster/math.h>

#include <algorithm>
#include <chrono>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster

void Bot::play(GameClient& client, Time now) {
  if (is_stopped_) {
    Steer still;
    still.aim = steer_.aim;
    return client.set_command(still);
  }
  const auto share = [this] { return static_cast<float>(random_.below(201)) / 100 - 1; };
  Vec3 from;
  client.each<const CharacterMovement, const Transform>(
      [&](EntityId id, const CharacterMovement&, const Transform& at) {
        if (client.is_mine(id)) from = at.position;
      });
  steer_.jump = {};
  if (now >= next_turn_) {
    next_turn_ = now + std::chrono::milliseconds(500 + random_.below(1000));
    const float x = share();
    steer_.direction = {x, 0, share()};
    steer_.jump = {.is_held = true,
                   .press_count = random_.below(2) == 0 ? std::uint8_t{1} : std::uint8_t{0}};
  }
  // Turns back near a wall.
  if (dot(from, from) > 900) steer_.direction = normalised({from.x, 0, from.z}) * -0.99F;
  steer_.aim = aim_at_nearest(client, from);
  steer_.fire = {};
  if (now >= next_shot_) {
    next_shot_ = now + std::chrono::milliseconds(400 + random_.below(500));
    steer_.fire.press_count = 1;
  }
  client.set_command(steer_);
}

Vec3 Bot::aim_at_nearest(const GameClient& client, Vec3 from) const {
  Vec3 aim = steer_.aim;
  float nearest = 1e9F;
  client.each<const Health, const Transform>([&](EntityId id, const Health&, const Transform& at) {
    const Vec3 gap{at.position.x - from.x, 0, at.position.z - from.z};
    const float distance = dot(gap, gap);
    if (client.is_mine(id) || distance >= nearest || distance < 0.01F) return;
    nearest = distance;
    const Vec3 towards = normalised(gap);
    aim = {std::clamp(towards.x, -1.0F, 1.0F), 0, std::clamp(towards.z, -1.0F, 1.0F)};
  });
  return aim;
}

}  // namespace arena
