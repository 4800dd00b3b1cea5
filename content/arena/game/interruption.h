// Ctrl-C, and the request to end that means the same.
#pragma once

#include <csignal>

namespace arena {

/// While one is there, SIGINT and SIGTERM do not end the program: it asks for them between two
/// frames, and ends as it does when its time is over. A signal that was ignored stays so. Requires:
/// made and gone on the first thread, made before there are others; one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether one has come. It stays so.
  bool has_come();

 private:
  sigset_t signals_{};
  sigset_t before_{};
  bool has_come_ = false;
};

}  // namespace arena
