// Hearing of new builds from a `muster watch` on the same machine.
#pragma once

#include <cstdint>
#include <string>

#include "registry/base/clock.h"
#include "registry/base/disk_file.h"

namespace muster {

/// For tools and for games under development: connects to the socket of the `muster watch` that
/// builds to a folder (bundler/cli/README.md, "The watch's socket") and listens. Nobody who
/// writes there is believed: what is told is only that it is time to look
/// (`is_another_build`). One thread at a time.
class BuildNotices {
 public:
  /// So long is waited before the next attempt to connect.
  static constexpr Duration kPause = std::chrono::seconds(1);
  /// So often `build` is said anyway: others than the watch may build to the folder.
  static constexpr Duration kLookAnyway = std::chrono::seconds(5);

  enum class News : std::uint8_t {
    none,    ///< Somebody watches, and nothing was built since the last call.
    build,   ///< Something was built, or may have been before this connected.
    silent,  ///< Nobody watches: who wants to follow has to look for himself now and then.
  };

  /// `folder` is the build's output, which holds `client` and `server`.
  explicit BuildNotices(std::string folder) : folder_(std::move(folder)) {}

  /// Costs one call of the system, and never waits.
  News poll(Time now);

 private:
  bool connect(Time now);

  std::string folder_;
  Descriptor socket_;
  Time next_attempt_ = Time::min();
  Time next_look_ = Time::min();
};

}  // namespace muster
