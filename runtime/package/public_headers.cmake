# The headers for users: NAME=PATH is included as <muster/NAME>, in the tree and installed. In the
# tree a header of two lines leads to the path. Installed ones are copies that include each other as
# <muster/NAME>; a public header that includes an internal one is an error.
set(muster_public_headers
  # The front door.
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
  # The engine's world, for what the front door does not have.
  component_id.h=runtime/world/component_id.h
  component_storage.h=runtime/world/component_storage.h
  entity_id.h=runtime/world/entity_id.h
  entity_record.h=runtime/world/entity_record.h
  name_table.h=runtime/world/name_table.h
  signature.h=runtime/world/signature.h
  signature_table.h=runtime/world/signature_table.h
  world.h=runtime/world/world.h
  world_log.h=runtime/world/world_log.h
  world_watch.h=runtime/world/world_watch.h
  # Bundles without a world.
  bundle_layout.h=runtime/bundle/bundle_layout.h
  bundle_name.h=runtime/bundle/bundle_name.h
  catalog_reader.h=runtime/bundle/catalog_reader.h
  guid.h=registry/vocabulary/guid.h
  # Values that all of them share.
  bytes.h=registry/vocabulary/bytes.h
  clock.h=registry/vocabulary/clock.h
  component.h=registry/vocabulary/component.h
  content_hash.h=registry/vocabulary/content_hash.h
  describe.h=registry/vocabulary/describe.h
  field_rules.h=registry/vocabulary/field_rules.h
  lanes.h=registry/vocabulary/lanes.h
  result.h=registry/vocabulary/result.h
  seed.h=registry/vocabulary/seed.h
  tick.h=registry/vocabulary/tick.h
  type_id.h=registry/vocabulary/type_id.h
  # Sockets: for a transport of your own.
  address.h=net/transport/address.h
  datagram_socket.h=net/transport/datagram_socket.h
  net_time.h=net/wire/net_time.h)

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
