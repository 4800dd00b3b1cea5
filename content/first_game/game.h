// The rules of the game: robots move and collect coins.
#pragma once

#include <muster/math.h>
#include <muster/system_context.h>

#include "components.h"

inline void move_robots(muster::SystemContext& ctx, muster::EntityId self, const Robot& robot,
                        muster::Transform& at) {
  const Move& move = ctx.command<Move>(self);  // The command of the robot's owner for this tick.
  const muster::Vec3 step{move.x, 0, move.z};
  at.position = at.position + step * (robot.metres_per_second * ctx.seconds());
}

inline void collect_coins(muster::SystemContext& ctx) {
  ctx.each<Robot, const muster::Transform>([&](Robot& robot, const muster::Transform& at) {
    ctx.each<const Coin, const muster::Transform>(
        [&](muster::EntityId id, const Coin& coin, const muster::Transform& there) {
          const muster::Vec3 gap = there.position - at.position;
          if (ctx.is_despawning(id) || dot(gap, gap) > 1) return;
          robot.coins += coin.value;
          ctx.despawn(id);
        });
  });
}

inline const muster::Game kGame{
    .application = 0x66'69'72'73'74'01,
    .ticks_per_second = 30,
    .components = muster::components<muster::Replicated, muster::Transform, Robot, Coin>(),
    .commands = muster::commands<Move>(),
    .server_systems = muster::systems<move_robots, collect_coins>()};
