// Receives notices of new builds from a `muster watch` on the same machine.
#pragma once

#include <cstdint>
#include <string>

#include "registry/base/clock.h"
#include "registry/base/disk_file.h"

namespace muster {

/// Connects to the socket of the `muster watch` that builds to a folder (bundler/cli/README.md,
/// "The watch's socket"). Tools and games under development use this class. The sender is not
/// trusted: a notice only means that the caller should check the folder (`is_another_build`). Only
/// one thread at a time may use this object.
class BuildNotices {
 public:
  /// The time between two attempts to connect.
  static constexpr Duration kPause = std::chrono::seconds(1);
  /// `poll` also returns `build` at this interval, because other programs may build to the folder.
  static constexpr Duration kCheckInterval = std::chrono::seconds(5);

  enum class Notice : std::uint8_t {
    none,    ///< A watch is running, and nothing was built since the last call.
    build,   ///< A build has ended, or may have ended before the connection existed.
    silent,  ///< No watch is running: the caller must check the folder itself.
  };

  /// `folder` is the build's output, which contains `client` and `server`.
  explicit BuildNotices(std::string folder) : folder_(std::move(folder)) {}

  /// Makes one system call, and never waits.
  Notice poll(Time now);

 private:
  bool connect(Time now);

  std::string folder_;
  Descriptor socket_;
  Time next_attempt_ = Time::min();
  Time next_check_ = Time::min();
};

}  // namespace muster
