// Access to the private members of servers and clients, for measurements. This header is not
// installed.
#pragma once

#include "runtime/session/game_client_impl.h"
#include "runtime/session/game_server_impl.h"

namespace muster {

struct SessionAccess {
  using ClientMembers = GameClient::Impl;
  using ServerMembers = GameServer::Impl;
  static ClientMembers& members(GameClient& client) { return *client.impl_; }
  static ServerMembers& members(GameServer& server) { return *server.impl_; }
};
using ClientMembers = SessionAccess::ClientMembers;
using ServerMembers = SessionAccess::ServerMembers;

}  // namespace muster
