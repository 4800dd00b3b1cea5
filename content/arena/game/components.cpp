#include "content/arena/game/components.h"

#include <algorithm>

#include "content/arena/game/combat.h"
#include "content/arena/game/effects.h"
#include "content/arena/game/match.h"
#include "content/arena/game/movement.h"
#include "content/arena/game/presentation.h"
#include "content/arena/game/replicated.h"

namespace arena {

std::vector<muster::ComponentDescription> arena_components() {
  std::vector<muster::ComponentDescription> components = {
      describe_replicated_entity(),
      describe_transform(),
      describe_team(),
      describe_player_state(),
      describe_ability_state(),
      describe_spectator_camera(),
      describe_character_movement(),
      describe_door(),
      describe_platform(),
      describe_spin(),
      describe_health(),
      describe_projectile(),
      describe_item(),
      describe_explosive(),
      describe_game_mode(),
      describe_capture_point(),
      describe_pickup(),
      describe_spawn_point(),
      describe_spatial_effect(),
      describe_hitscan_effect(),
      describe_presentation_owner(),
      describe_presentation_entity(),
  };
  std::ranges::sort(components, {}, &muster::ComponentDescription::name);
  return components;
}

}  // namespace arena
