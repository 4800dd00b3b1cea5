// The functions of a server that load content and open resources before the first frame.
#include <algorithm>
#include <cassert>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/session/game_server_impl.h"
#include "runtime/session/level_model.h"

namespace muster {

Result<void> GameServer::Impl::load() {
  Result<ReplicatedTypes> found =
      replicated_types(spawner, {.registry = content->registry(), .local = {}});
  if (!found) return fail(found.error());
  types = std::make_unique<ReplicatedTypes>(std::move(found.value()));
  if (options.workers > 1) {
    try {
      workers = std::make_unique<WorkerPool>(options.workers);
    } catch (const std::system_error& error) {
      return fail(ErrorCode::io, std::string("cannot start the workers: ") + error.what());
    }
  }
  if (options.level) {
    const Result<Guid> guid = content->level(*options.level);
    if (!guid) return fail(guid.error());
    level_guid = guid.value();
  }
  Result<ByteVector> named = load_level_model(assets->store(), level_guid);
  if (!named) return fail(named.error());
  model = std::move(named.value());
  make_replication();
  return load_level();
}

void GameServer::Impl::make_replication() {
  sender.emplace(*types, world, collection);
  classes = EntityClasses();
  ReplicationServerOptions replicate{.channel = kReplicationChannel,
                                     .ticks_per_second = content->game().ticks_per_second,
                                     .snapshot_ticks = snapshot_ticks(content->game()),
                                     .classes = {EntityClasses::first()},
                                     .model_file = model};
  replicate.interest.rule = this;
  replication = std::make_unique<ReplicationServer>(replicate, types->schema, this);
}

Result<void> GameServer::Impl::load_level() {
  if (level_guid == Guid()) return {};
  const StructureWatch::Pause pause(&structure.watch());
  level.load(level_guid);
  assets->loader().update(Time());
  level.update();
  while (level.state() == LevelState::loading) {
    assets->loader().wait(Time());
    level.update();
  }
  if (level.state() == LevelState::failed) return fail(level.error());
  [[maybe_unused]] const bool is_placed = place_level();
  assert(is_placed);  // `place_level` fails only if entities already have ids.
  return {};
}

namespace {

Result<SecretKey> key_of(const std::string& path, Bytes bytes) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::malformed, "'" + path + "' is not a server key: " + reason);
  };
  // A crash can leave an empty file, or zeros in a file.
  if (std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; })) {
    return refuse(std::string(bytes.empty() ? "it is empty" : "all its bytes are zero") +
                  "; restore it from a backup, or delete it: then the next start makes a new key, "
                  "and clients need the new key");
  }
  if (bytes.size() != SecretKey::kBytes) {
    return refuse("it has " + std::to_string(bytes.size()) +
                  " bytes and must have 32; name another file");
  }
  return SecretKey(bytes.first<SecretKey::kBytes>());
}

}  // namespace

Result<SecretKey> GameServer::Impl::identity() {
  const std::string& path = options.key_file;
  if (path.empty()) return SecretKey::random(edges.entropy());
  const Result<ByteVector> file = edges.files().read(path);
  if (file) return key_of(path, file.value());
  if (file.error().code != ErrorCode::not_found) return fail(file.error());
  const SecretKey made = SecretKey::random(edges.entropy());
  if (const Result<void> written = edges.files().create_secret(path, made.bytes()); !written) {
    return fail(written.error());
  }
  return made;
}

Result<void> GameServer::Impl::listen() {
  Result<SecretKey> key = identity();
  if (!key) return fail(key.error());
  Result<std::unique_ptr<DatagramSocket>> opened = edges.network().open(options.listen);
  if (!opened) return fail(opened.error());
  socket = std::move(opened.value());
  ServerOptions server;
  server.connection = session_connection();
  server.agreement = content->agreement();
  server.identity = key.value();
  server.clients_max = options.players_max;
  server.clients_per_address = options.players_per_address;
  now = edges.now();
  edges.entropy().fill(std::as_writable_bytes(std::span(&shared_seed, 1)));
  simulation.set_shared_seed(shared_seed);
  if (!options.capture_file.empty()) {
    auto created = PacketCapture::create(edges, options.capture_file, now);
    if (!created) return fail(created.error());
    capture = std::move(created.value());
    server.recorder = &capture->recorder();
  }
  net = std::make_unique<Server>(server, *socket, edges.entropy(), *this, now);
  return {};
}

}  // namespace muster
