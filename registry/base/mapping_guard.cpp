// A signal handler gets no arguments from the program, so this unit has a global table. The handler
// may interrupt any instruction of any thread. So it uses only lock-free atomics and direct system
// calls. (The sanitizers' wrappers of system calls may lock mutexes.)
//
// A slot is filled in three steps: it is reserved, then its size is written, then its start. A
// start of zero means that the slot is free. The handler reads the start, the size, and the start
// again. If both starts are equal, the size belongs to the start. The range that contains the
// faulting address cannot be removed in the meantime, because the thread that reads the range is
// stopped.
#include "registry/base/mapping_guard.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, not C++.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdint>

namespace muster {
namespace {

struct Slot {
  std::atomic<std::uintptr_t> start{0};
  std::atomic<std::size_t> size_bytes{0};
  std::atomic<bool> is_claimed{false};
  std::atomic<std::uint32_t> damages{0};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): see above.
constinit std::array<Slot, MappingGuard::kMaxMappings> slots{};
constinit std::atomic<std::size_t> next_slot{0};   // The slot that is probably free.
constinit std::atomic<std::size_t> slots_used{0};  // The slots from this index on were never used.
constinit std::atomic<bool> is_guarded{false};
constinit std::size_t page_bytes = 0;
constinit struct sigaction previous {};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

Slot* slot_of(std::uintptr_t address) {
  const std::size_t count = slots_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t start = slots[i].start.load(std::memory_order_acquire);
    const std::size_t size = slots[i].size_bytes.load(std::memory_order_acquire);
    const bool is_whole = slots[i].start.load(std::memory_order_acquire) == start;
    // The last page ends after the end of the file, but that part is never read.
    if (start != 0 && is_whole && address >= start && address - start < size) return &slots[i];
  }
  return nullptr;
}

bool replace_lost_pages(std::uintptr_t address) {
  Slot* const slot = slot_of(address);
  if (slot == nullptr) return false;
  const std::uintptr_t from = address - address % page_bytes;
  const std::uintptr_t end = slot->start.load() + slot->size_bytes.load();
  // The range is marked as damaged before a reader can read a zero.
  slot->damages.fetch_add(1);
  const long mapped =
      ::syscall(SYS_mmap, from, end - from, static_cast<long>(PROT_READ),
                static_cast<long>(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED), -1L, 0L);
  return mapped == static_cast<long>(from);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  const bool is_sent = info->si_code <= 0;  // Whether a process has sent the signal.
  if (previous.sa_handler == SIG_IGN && is_sent) return;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  // After the return the instruction faults again, and the default action ends the program.
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  ::sigaction(signal, &fallback, nullptr);
  if (is_sent) ::raise(signal);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_fault = info->si_code > 0;
  const bool is_answered =
      is_fault && replace_lost_pages(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = error;
  if (!is_answered) pass_on(signal, info, context);
}

}  // namespace

MappingGuard::MappingGuard() {
  assert(!is_guarded.load());
  page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // The new handler reads `previous`, and may run as soon as it is installed. So the first call
  // stores the previous handler, and the second call installs the new handler.
  ::sigaction(SIGBUS, nullptr, &previous);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  // SA_ONSTACK uses the alternate stack, if the program has set one.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
  is_guarded.store(true);
}

MappingGuard::~MappingGuard() {
  is_guarded.store(false);
  ::sigaction(SIGBUS, &previous, nullptr);
}

bool MappingGuard::is_there() { return is_guarded.load(); }

GuardedRange GuardedRange::watch(Bytes bytes) {
  assert(!bytes.empty());
  GuardedRange range;
  const std::size_t first = next_slot.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t index = (first + i) % slots.size();
    Slot& slot = slots[index];
    if (slot.is_claimed.load(std::memory_order_relaxed) || slot.is_claimed.exchange(true)) continue;
    slot.damages.store(0);
    slot.size_bytes.store(bytes.size());
    slot.start.store(reinterpret_cast<std::uintptr_t>(bytes.data()));
    std::size_t used = slots_used.load();
    while (used <= index && !slots_used.compare_exchange_weak(used, index + 1)) {
    }
    next_slot.store((index + 1) % slots.size(), std::memory_order_relaxed);
    range.slot_ = index;
    break;
  }
  return range;
}

GuardedRange::~GuardedRange() {
  if (slot_ == kNone) return;
  slots[slot_].start.store(0);
  next_slot.store(slot_, std::memory_order_relaxed);
  slots[slot_].is_claimed.store(false);
}

bool GuardedRange::is_damaged() const {
  if (slot_ == kNone) return false;
  // Adds 0 atomically instead of loading, because a load would not be ordered after the earlier
  // reads.
  return slots[slot_].damages.fetch_add(0, std::memory_order_acq_rel) > 0;
}

}  // namespace muster
