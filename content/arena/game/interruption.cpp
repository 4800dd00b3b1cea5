// The signals are held back and asked for: no handler, and nothing that a handler would need.
#include "content/arena/game/interruption.h"

#include <ctime>
#include <initializer_list>

namespace arena {

Interruption::Interruption() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM}) {
    // A shell ignores SIGINT for what runs in the background.
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN) continue;
    sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

/// The program is ending anyway: what came since it was asked last shall not end it otherwise.
Interruption::~Interruption() {
  const timespec at_once{};
  while (sigtimedwait(&signals_, nullptr, &at_once) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interruption::has_come() {
  const timespec at_once{};
  has_come_ = has_come_ || sigtimedwait(&signals_, nullptr, &at_once) > 0;
  return has_come_;
}

}  // namespace arena
