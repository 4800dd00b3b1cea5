// Joins a match of the arena and prints what it sees.
//
//     arena_client build/demo 127.0.0.1:7000 KEY
//
// Exit codes: 0 the match or the time is over, 1 the server was lost or refused, or something could
// not be loaded, 2 usage, unreadable build or no socket.
#include <cstdio>
#include <memory>
#include <string>

#include "content/arena/game/session_run.h"
#include "net/transport/udp_socket.h"
#include "registry/vocabulary/mapping_guard.h"
#include "runtime/assets/disk_source.h"

namespace {

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_client: %s\n", message.c_str());
  return 2;
}

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = arena::parse_options(arena::Program::client, argc, argv);
  if (!parsed) return complain(parsed.error().message);
  const arena::ProgramOptions& options = parsed.value();
  const muster::MappingGuard mapping_guard;
  const auto memory = std::make_shared<muster::MemoryPool>();
  const auto disk =
      muster::open_disk_source(options.build + "/client", muster::SourceKind::automatic, memory);
  if (!disk) return complain(disk.error().message);
  const muster::BundleSource& source = *disk.value().source;
  auto store = muster::BundleStore::open(source, muster::BundleStore::Catalogs::built, memory);
  if (!store) return complain(store.error().message);
  muster::ThreadedLoads loads(source, store.value().catalog(), 1, memory,
                              store.value().dictionaries());
  muster::BundleLoader loader(store.value(), loads, {});
  const muster::SteadyClock clock;
  auto client = arena::ArenaClient::open(store.value(), loader, clock);
  if (!client) return complain(client.error().message);
  const muster::OpenedUdp udp = muster::open_udp({.local = arena::any_port_for(options.address)});
  if (udp.socket == nullptr) return complain(udp.error);
  arena::LossySocket lossy(*udp.socket, clock, options.loss);
  muster::DatagramSocket& socket = options.is_lossy() ? lossy : *udp.socket;
  muster::SystemEntropy entropy;
  client.value()->connect({options.address, options.key}, socket, entropy);
  const bool went_well = arena::run_client(*client.value(), options, socket, clock, say, complain);
  return went_well ? 0 : 1;
}
