#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

#include "net/capture/appended_file.h"
#include "net/secure/entropy.h"
#include "net/transport/udp_socket.h"
#include "registry/base/date.h"
#include "registry/base/disk_file_system.h"
#include "runtime/session/edges.h"
#include "runtime/session/name_resolver.h"

namespace muster {
namespace {

/// The maximum size of a key file or recording.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 32U;

}  // namespace

struct SystemEdges::Impl {
  class SystemNetwork final : public Network {
   public:
    Result<std::unique_ptr<DatagramSocket>> open(std::string_view address) override {
      Address local;
      if (!address.empty()) {
        const std::optional<Address> parsed = Address::parse(address);
        if (!parsed) {
          return fail(ErrorCode::invalid_argument, "'" + std::string(address) +
                                                       "' is not an address to listen on: write "
                                                       "[::]:7000, 0.0.0.0:7000 or 127.0.0.1:7000");
        }
        local = *parsed;
      }
      OpenedUdp opened = open_udp({.local = local});
      if (opened.socket == nullptr) return fail(ErrorCode::busy, opened.error);
      return std::move(opened.socket);
    }
    std::optional<Result<Address>> resolve(std::string_view name) override {
      return resolver_.resolve(name);
    }

   private:
    NameResolver resolver_;
  };

  class SystemFile final : public OutputFile {
   public:
    SystemFile(AppendedFile file, std::string path)
        : file_(std::move(file)), path_(std::move(path)) {}
    Result<void> append(Bytes bytes) override {
      if (file_.append(bytes)) return {};
      return fail(ErrorCode::io, "cannot write all of '" + path_ + "': is the disk full?");
    }
    Result<void> flush() override {
      if (file_.flush()) return {};
      return fail(ErrorCode::io, "cannot write all of '" + path_ + "': is the disk full?");
    }

   private:
    AppendedFile file_;
    std::string path_;
  };
  class SystemFiles final : public Files {
   public:
    Result<ByteVector> read(const std::string& path) override {
      const Result<PathTarget> target = find_target(path);
      if (!target) return fail(target.error());
      std::string problem;
      auto bytes = read_capture_file(path, kFileBytesMax, problem);
      if (!bytes) return fail(ErrorCode::io, "cannot read '" + path + "': " + problem);
      return std::move(*bytes);
    }
    Result<void> create_secret(const std::string& path, Bytes bytes) override {
      return create_secret_file(path, bytes);
    }
    Result<std::unique_ptr<OutputFile>> create(const std::string& path) override {
      std::string problem;
      std::optional<AppendedFile> file = AppendedFile::create(path, problem);
      if (!file) return fail(ErrorCode::io, "cannot create '" + path + "': " + problem);
      return std::make_unique<SystemFile>(std::move(*file), path);
    }
  };

  SteadyClock clock;
  SystemFiles files;
  SystemNetwork network;
  SystemEntropy entropy;
};

SystemEdges::SystemEdges() : impl_(std::make_unique<Impl>()) {}
SystemEdges::~SystemEdges() = default;

Time SystemEdges::now() { return impl_->clock.now(); }
std::uint64_t SystemEdges::unix_seconds() { return system_unix_seconds(); }
Network& SystemEdges::network() { return impl_->network; }
Entropy& SystemEdges::entropy() { return impl_->entropy; }

Files& SystemEdges::files() { return impl_->files; }

void SystemEdges::log(LogLevel level, std::string_view line) {
  const char* const name = level == LogLevel::info      ? ""
                           : level == LogLevel::warning ? "warning: "
                                                        : "error: ";
  std::fprintf(stderr, "%s%.*s\n", name, static_cast<int>(line.size()), line.data());
}

// The signals are blocked and polled, so neither a handler nor global state is needed.
struct StopSignal::Impl {
  sigset_t signals{};
  sigset_t before{};
  bool has_come = false;
};

StopSignal::StopSignal() : impl_(std::make_unique<Impl>()) {
  sigemptyset(&impl_->signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    // A shell ignores SIGINT for programs in the background. Such a program must continue to ignore
    // SIGINT.
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN) continue;
    sigaddset(&impl_->signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &impl_->signals, &impl_->before);
}

// A pending signal must not end the program with its default action.
StopSignal::~StopSignal() {
  const timespec at_once{};
  while (sigtimedwait(&impl_->signals, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &impl_->before, nullptr);
}

StopSignal::operator bool() const {
  const timespec at_once{};
  impl_->has_come = impl_->has_come || sigtimedwait(&impl_->signals, nullptr, &at_once) > 0;
  return impl_->has_come;
}

}  // namespace muster
