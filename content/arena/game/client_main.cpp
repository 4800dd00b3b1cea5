// Joins a match of the arena, or plays a recorded one, and prints what it sees.
//
//     arena_client build/demo 127.0.0.1:7000 KEY
//     arena_client build/demo --play match.mrec --speed max
//
// Ctrl-C ends it as the end of its time does. Exit codes: 0 the match or the time is over, 1 the
// server was lost or refused, something could not be loaded, or the recording or capture is not all
// there, 2 usage, unreadable build or recording, or no socket.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "content/arena/game/interruption.h"
#include "content/arena/game/session_run.h"
#include "net/transport/udp_socket.h"
#include "registry/base/mapping_guard.h"
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

int follow(muster::BundleStore& store, muster::BundleLoader& loader,
           const arena::ProgramOptions& options, const arena::Person& person) {
  const muster::SteadyClock clock;
  std::unique_ptr<arena::PacketCapture> capture;  // It outlives the client.
  auto client = arena::ArenaClient::open(store, loader, clock);
  if (!client) return complain(client.error().message);
  const muster::OpenedUdp udp = muster::open_udp({.local = arena::any_port_for(options.address)});
  if (udp.socket == nullptr) return complain(udp.error);
  // Now that there will be something to record: what was in the file is gone.
  auto created =
      arena::PacketCapture::create(options.capture, clock.now(), std::chrono::system_clock::now());
  if (!created) return complain(created.error().message);
  capture = std::move(created.value());
  arena::LossySocket lossy(*udp.socket, clock, options.loss);
  muster::DatagramSocket& socket = options.is_lossy() ? lossy : *udp.socket;
  muster::SystemEntropy entropy;
  client.value()->connect({options.address, options.key}, socket, entropy,
                          arena::recorder_of(capture.get()));
  const bool went_well =
      arena::run_client(*client.value(), options, socket, clock, person, capture.get());
  return went_well ? 0 : 1;
}

int play(muster::BundleStore& store, muster::BundleLoader& loader,
         const arena::ProgramOptions& options) {
  const auto file = arena::read_recording(options.play);
  if (!file) return complain(file.error().message);
  auto replay =
      arena::MatchReplay::open(store, loader, file.value(), {.from_seconds = options.from_seconds});
  if (!replay) return complain(options.play + ": " + replay.error().message);
  arena::Interruption interruption;  // Until here a signal ends it at once.
  const arena::Person person{say, complain, [&] { return interruption.has_come(); }};
  const muster::SteadyClock clock;
  const auto wait = [](muster::Duration time) { std::this_thread::sleep_for(time); };
  return arena::run_replay(*replay.value(), options, clock, wait, person) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = arena::parse_options(arena::Program::client, argc, argv);
  if (!parsed) return complain(parsed.error().message);
  const arena::ProgramOptions& options = parsed.value();
  if (options.wants_help) {
    say(arena::usage_of(arena::Program::client) + "\n");
    return 0;
  }
  const muster::MappingGuard mapping_guard;
  const auto memory = std::make_shared<muster::MemoryPool>();
  const auto disk =
      muster::open_disk_source(options.build + "/client", muster::SourceKind::automatic, memory);
  if (!disk) return complain(disk.error().message);
  const muster::BundleSource& source = *disk.value().source;
  auto store = muster::BundleStore::open(source, muster::BundleStore::Catalogs::built, memory);
  if (!store) return complain(store.error().message);
  if (!options.play.empty()) {
    // What comes is complete at once, at whatever speed.
    muster::SteppedLoads loads(source, store.value().catalog(), false, memory,
                               store.value().dictionaries());
    muster::BundleLoader loader(store.value(), loads, {});
    return play(store.value(), loader, options);
  }
  arena::Interruption interruption;  // Before there are threads.
  const arena::Person person{say, complain, [&] { return interruption.has_come(); }};
  muster::ThreadedLoads loads(source, store.value().catalog(), 1, memory,
                              store.value().dictionaries());
  muster::BundleLoader loader(store.value(), loads, {});
  return follow(store.value(), loader, options, person);
}
