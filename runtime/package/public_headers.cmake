# The public headers. NAME=PATH means that users include the file PATH as <muster/NAME>. In the build
# tree, <muster/NAME> is a generated header that includes PATH. Installed headers are copies that
# include each other as <muster/NAME>. A public header must not include an internal header.
set(muster_public_headers
  # The session API.
  build.h=runtime/session/build.h
  client.h=runtime/session/game_client.h
  edges.h=runtime/session/edges.h
  game.h=runtime/session/game.h
  preview.h=runtime/session/game_preview.h
  hit_volume.h=runtime/sync/hit_volume.h
  match.h=runtime/session/simulated_match.h
  math.h=runtime/world/math.h
  problem.h=runtime/session/problem.h
  server.h=runtime/session/game_server.h
  session_options.h=runtime/session/session_options.h
  system_context.h=runtime/session/system_context.h
  # The engine's world, for tasks that the session API does not support.
  component_id.h=runtime/world/component_id.h
  component_storage.h=runtime/world/component_storage.h
  entity_id.h=runtime/world/entity_id.h
  entity_record.h=runtime/world/entity_record.h
  name_table.h=runtime/world/name_table.h
  signature.h=runtime/world/signature.h
  signature_table.h=runtime/world/signature_table.h
  world.h=runtime/world/world.h
  world_log.h=runtime/world/world_log.h
  # Bundles without a world.
  bundle_layout.h=runtime/bundle/bundle_layout.h
  bundle_name.h=runtime/bundle/bundle_name.h
  catalog_reader.h=runtime/bundle/catalog_reader.h
  guid.h=registry/base/guid.h
  # Types that the other headers use.
  bytes.h=registry/base/bytes.h
  clock.h=registry/base/clock.h
  component.h=registry/components/component.h
  content_hash.h=registry/base/content_hash.h
  describe.h=registry/components/describe.h
  field_rules.h=registry/components/field_rules.h
  lanes.h=registry/components/lanes.h
  player_id.h=registry/base/player_id.h
  result.h=registry/base/result.h
  seed.h=registry/base/seed.h
  tick.h=registry/base/tick.h
  type_id.h=registry/base/type_id.h
  # Sockets, for custom transports.
  address.h=net/transport/address.h
  datagram_socket.h=net/transport/datagram_socket.h
  udp_socket.h=net/transport/udp_socket.h)

set(muster_installed_headers "")
foreach(pair IN LISTS muster_public_headers)
  string(REGEX MATCH "^([^=]+)=(.+)$" found ${pair})
  set(muster_public_name_of_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
endforeach()
foreach(pair IN LISTS muster_public_headers)
  string(REGEX MATCH "^([^=]+)=(.+)$" found ${pair})
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/muster/${name}
       CONTENT "#pragma once\n#include \"${path}\"\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path})
  file(READ ${PROJECT_SOURCE_DIR}/${path} text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" included "${include}")
    if(NOT DEFINED muster_public_name_of_${included})
      message(FATAL_ERROR "the public header ${path} includes ${included}, which is internal")
    endif()
    string(REPLACE "#include \"${included}\"" "#include <muster/${muster_public_name_of_${included}}>"
                   text "${text}")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/installed/muster/${name} CONTENT "${text}" @ONLY)
  list(APPEND muster_installed_headers ${PROJECT_BINARY_DIR}/installed/muster/${name})
endforeach()
