// Serves a match of the arena to whoever comes.
//
//     arena_server build/demo 127.0.0.1:7000 --seconds 60
//
// Prints `listening ADDRESS KEY` first, for clients. Ctrl-C ends it as the end of its time does.
// Exit codes: 0 all went well, 2 usage, unreadable build, no socket, or a recording or capture that
// cannot be written.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "content/arena/game/interruption.h"
#include "content/arena/game/session_run.h"
#include "net/transport/udp_socket.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/disk_source.h"

namespace {

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_server: %s\n", message.c_str());
  return 2;
}

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = arena::parse_options(arena::Program::server, argc, argv);
  if (!parsed) return complain(parsed.error().message);
  const arena::ProgramOptions& options = parsed.value();
  if (options.wants_help) {
    say(arena::usage_of(arena::Program::server) + "\n");
    return 0;
  }
  const muster::MappingGuard mapping_guard;
  const muster::MappedSource source(options.build + "/server");
  auto store = muster::BundleStore::open(source);
  if (!store) return complain(store.error().message);
  const muster::SteadyClock clock;
  std::unique_ptr<arena::PacketCapture> capture;  // It outlives the server.
  arena::Interruption interruption;               // Before there are threads.
  auto server = arena::ArenaServer::open(store.value(), arena::server_options(options));
  if (!server) return complain(server.error().message);
  const muster::OpenedUdp udp = muster::open_udp({.local = options.address});
  if (udp.socket == nullptr) return complain(udp.error);
  // Now that there will be something to record: what was in the file is gone.
  auto created =
      arena::PacketCapture::create(options.capture, clock.now(), std::chrono::system_clock::now());
  if (!created) return complain(created.error().message);
  capture = std::move(created.value());
  arena::LossySocket lossy(*udp.socket, clock, options.loss);
  muster::DatagramSocket& socket = options.is_lossy() ? lossy : *udp.socket;
  muster::SystemEntropy entropy;
  server.value()->start(socket, entropy, clock.now(), arena::recorder_of(capture.get()));
  say("listening " + socket.local_address().text() + " " +
      arena::key_text(server.value()->public_key()) + "\n");
  const arena::Person person{say, complain, [&] { return interruption.has_come(); }};
  const auto served =
      arena::run_server(*server.value(), options, socket, clock, person, capture.get());
  return served ? 0 : complain(served.error().message);
}
