// The members of servers and clients, for programs that measure them. Not installed.
#pragma once

#include "runtime/session/game_client_impl.h"
#include "runtime/session/game_server_impl.h"

namespace muster {

struct SessionAccess {
  static GameClient::Impl& members(GameClient& client) { return *client.impl_; }
  static GameServer::Impl& members(GameServer& server) { return *server.impl_; }
};

}  // namespace muster
