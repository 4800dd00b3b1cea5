// What the typed functions of servers and clients call: the same, by described name. Games use
// `GameServer` and `GameClient`.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "registry/base/bytes.h"
#include "runtime/session/game.h"
#include "runtime/session/system_context.h"
#include "runtime/world/entity_id.h"

namespace muster {

class SimulatedMatch;
struct SessionAccess;

namespace session_detail {

/// Owns a server's members. Nothing of it is for callers.
class ServerCalls {
 protected:
  friend class muster::SimulatedMatch;
  friend struct muster::SessionAccess;
  struct Impl;
  explicit ServerCalls(std::unique_ptr<Impl> impl);
  ~ServerCalls();
  ServerCalls(const ServerCalls&) = delete;
  ServerCalls& operator=(const ServerCalls&) = delete;

  EntityId spawn_entity(EntityType type, const SpawnOptions& options,
                        std::span<const NamedValue> values);
  std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes);
  bool add_component(EntityId entity, const NamedValue& value);
  bool remove_component(EntityId entity, std::string_view name);
  void visit_entities(std::span<const VisitedComponent> components, void* visitor, VisitRun visit);
  bool send_message(PlayerId player, const NamedValue& message, const SendOptions& options);
  void send_message_to_all(const NamedValue& message, const SendOptions& options);
  void send_message_near(Vec3 position, float metres, const NamedValue& message,
                         const SendOptions& options);
  bool force_field(PlayerId player, const NamedValue& command, std::string_view field);
  void handle_message(std::string_view name, std::size_t bytes,
                      std::function<void(PlayerId, Bytes)> handler);

  // The same, typed.
  template <typename... T>
  EntityId spawn_with(EntityType type, const SpawnOptions& options, const T&... values) {
    const std::array<NamedValue, sizeof...(T)> named{named_value(values)...};
    return spawn_entity(type, options, named);
  }
  template <typename T>
  T* component(EntityId entity) {
    return reinterpret_cast<T*>(find_component(described_name<T>(), entity, sizeof(T)));
  }
  template <typename... C, typename Visit>
  void visit_with(Visit& visit) {
    check_visit<Visit, C...>();
    const auto types = visited<C...>();
    visit_entities(types, &visit, &visit_erased<Visit, C...>);
  }
  template <typename T>
  void handle_with(std::function<void(PlayerId, const T&)> callback) {
    handle_message(described_name<T>(), sizeof(T),
                   [callback = std::move(callback)](PlayerId player, Bytes bytes) {
                     callback(player, *reinterpret_cast<const T*>(bytes.data()));
                   });
  }

  std::unique_ptr<Impl> impl_;
};

/// Owns a client's members. Nothing of it is for callers.
class ClientCalls {
 protected:
  friend class muster::SimulatedMatch;
  friend struct muster::SessionAccess;
  struct Impl;
  explicit ClientCalls(std::unique_ptr<Impl> impl);
  ~ClientCalls();
  ClientCalls(const ClientCalls&) = delete;
  ClientCalls& operator=(const ClientCalls&) = delete;

  void put_command(const NamedValue& command);
  bool send_message(const NamedValue& message, const SendOptions& options);
  const std::byte* find_component(std::string_view name, EntityId entity, std::size_t bytes,
                                  bool is_view) const;
  void visit_entities(std::span<const VisitedComponent> components, void* visitor,
                      VisitRun visit) const;
  void handle_message(std::string_view name, std::size_t bytes, std::function<void(Bytes)> handler);

  // The same, typed.
  template <typename T>
  const T* component(EntityId entity, bool is_view) const {
    return reinterpret_cast<const T*>(
        find_component(described_name<T>(), entity, sizeof(T), is_view));
  }
  template <typename... C, typename Visit>
  void visit_with(Visit& visit) const {
    check_visit<Visit, C...>();
    const auto types = visited<C...>();
    visit_entities(types, &visit, &visit_erased<Visit, C...>);
  }
  template <typename T>
  void handle_with(std::function<void(const T&)> callback) {
    handle_message(described_name<T>(), sizeof(T), [callback = std::move(callback)](Bytes bytes) {
      callback(*reinterpret_cast<const T*>(bytes.data()));
    });
  }

  std::unique_ptr<Impl> impl_;
};

}  // namespace session_detail
}  // namespace muster
