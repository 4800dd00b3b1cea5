// Events that happen at a tick: they ride with snapshots, so that they are there when the client's
// world gets to that tick. REPLICATION_FORMAT.md, "Events".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/wire/byte_io.h"

namespace muster {

/// Events of a client that are not known to have arrived.
inline constexpr std::size_t kTimedEventsMax = 256;
inline constexpr std::size_t kTimedEventBytesMax = 256;
/// So many that are due wait for a game that does not read them; of more, the oldest are lost.
inline constexpr std::size_t kTimedEventsDueMax = 4096;
/// Number, tick, length.
inline constexpr std::size_t kTimedEventHeadBytes = 2 + 4 + 2;
/// Of one about an entity: its id and generation.
inline constexpr std::size_t kEventSubjectBytes = 4 + 4;
/// Payloads that an event waits for its entity at the receiver: more than a server sends while it
/// holds one for lack of room, and those of some round trips.
inline constexpr std::uint64_t kEventPatience = 1024;

/// The entity that an event tells of.
struct EventSubject {
  std::uint32_t id = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const EventSubject&, const EventSubject&) = default;
};

/// Which payloads an event may stand in.
enum class EventTurn : std::uint8_t {
  any = 0,
  waits = 1,     ///< Its entity may not have come: none but those that tell of it, ...
  together = 2,  ///< ... as the next one does.
  never = 3,     ///< The entity will not come.
};

/// The sending side, of one client. An event stands in every payload until one of them is known to
/// have arrived: a lost packet does not delay it by a round trip. Memory is bounded; steady state
/// allocates nothing.
class TimedEventSender {
 public:
  TimedEventSender() : slots_(kTimedEventsMax) {}

  /// False when too many wait, or the event is too long.
  bool push(std::uint32_t tick, std::span<const std::byte> event);
  /// An event about an entity that the receiver has been told of (`any`), or one that must not
  /// arrive before it is: that waits until `settle` says otherwise.
  bool push_about(const EventSubject& subject, EventTurn turn, std::uint32_t tick,
                  std::span<const std::byte> event);
  /// Asks `turn_of(EventSubject)` of each event that waits for its entity.
  template <typename TurnOf>
  void settle(const TurnOf& turn_of) {
    for (std::uint32_t number = begin_; waiting_ > 0 && number != end_; ++number) {
      Slot& event = slot(number);
      if (event.is_over || event.turn == EventTurn::any) continue;
      event.turn = turn_of(event.subject);
      if (event.turn == EventTurn::never) event.is_over = true;
      if (event.is_over || event.turn == EventTurn::any) --waiting_;
    }
    drop_finished();
  }
  /// Writes a count and as many events as fit into `bytes_max`, the oldest first of those whose
  /// turn it is; nothing when there is none. `payload` is whichever number the caller gives the
  /// payload that carries them. Returns the count.
  std::size_t write(SectionWriter& writer, std::size_t bytes_max, std::uint16_t payload);
  bool has_any() const { return begin_ != end_; }
  /// What `write` takes of as many bytes at most.
  std::size_t waiting_bytes(std::size_t bytes_max) const;
  /// Whether any waits for its entity.
  bool has_waiting() const { return waiting_ > 0; }
  /// The payload with this number has arrived.
  void delivered(std::uint16_t payload);
  void clear();

 private:
  /// Twice as many as a view lets be on their way, and more than a snapshot's window.
  static constexpr std::size_t kPayloads = 64;

  struct Slot {
    std::uint32_t tick = 0;
    bool is_over = false;  ///< It was delivered, or never will be.
    EventTurn turn = EventTurn::any;
    bool has_subject = false;
    EventSubject subject;
    std::vector<std::byte> bytes;
  };
  /// With its head.
  static std::size_t bytes_of(const Slot& event) {
    return kTimedEventHeadBytes + event.bytes.size() + (event.has_subject ? kEventSubjectBytes : 0);
  }

  struct Carried {
    std::uint16_t payload = 0;
    bool is_used = false;
    std::vector<std::uint32_t> events;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % kTimedEventsMax]; }
  void drop_finished();

  std::vector<Slot> slots_;
  std::uint32_t begin_ = 0;  ///< The oldest that is not over.
  std::uint32_t end_ = 0;
  std::size_t waiting_ = 0;  ///< For their entity.
  std::array<Carried, kPayloads> carried_;
};

/// An event that came.
struct TimedEvent {
  std::uint32_t tick = 0;
  std::uint32_t number = 0;  ///< In the order in which the server sent them.
  std::span<const std::byte> bytes;
};

/// What a receiver knows of an event's entity.
enum class SubjectState : std::uint8_t {
  shown = 0,  ///< The game has been told of it; it may have gone since.
  may_come = 1,
  is_past = 2,  ///< It was not, and will not be.
};

/// The receiving side: each event once, when its tick has been reached, by tick; one about an
/// entity also not before that was shown, which is later when its snapshot was overtaken. What an
/// enemy can make it keep is bounded: of too many that wait, the earliest come before their tick.
class TimedEventReceiver {
 public:
  /// Reads what `write` wrote, in the payload with this number, by which patience is counted. False
  /// when it is malformed; nothing was taken then.
  bool read(SectionReader& reader, std::uint64_t payload);
  /// Asks `state_of(EventSubject, tick)` of each entity for which an event waits, as of this
  /// payload. Of those that were not shown in time, and will not be, the events do not come.
  template <typename StateOf>
  void settle(std::uint64_t payload, const StateOf& state_of) {
    if (held_ == 0) return;
    for (Waiting& event : waiting_) {
      if (!event.is_held) continue;
      const SubjectState state = state_of(event.subject, event.tick);
      if (state == SubjectState::shown) {
        event.is_held = false;
        --held_;
      }
      const bool is_late = payload - event.payload >= kEventPatience;
      event.is_vain = state == SubjectState::is_past || (event.is_held && is_late);
    }
    drop_vain();
  }
  /// Makes those due whose tick is not after `tick`. Returns how many.
  std::size_t reach(std::uint32_t tick);
  /// How many were due and gave way to others. Those that `reset` forgets are not counted.
  std::uint64_t lost() const { return lost_; }
  /// How many did not come, since their entity did not.
  std::uint64_t in_vain() const { return in_vain_; }
  std::span<const TimedEvent> due() const { return due_; }
  void clear_due();
  /// Forgets everything: another map.
  void reset();

 private:
  static constexpr std::size_t kWindow = 2 * kTimedEventsMax;

  struct Waiting {
    std::uint32_t tick = 0;
    std::uint32_t number = 0;
    std::uint64_t payload = 0;  ///< That it came with.
    bool is_held = false;       ///< Until its entity is shown.
    bool is_vain = false;       ///< It will not be.
    EventSubject subject{};
    std::vector<std::byte> bytes{};
  };

  void take(std::uint16_t number, Waiting event, std::span<const std::byte> bytes);
  void drop_vain();

  std::uint32_t next_ = 0;                         ///< One behind the highest number that came.
  std::array<std::uint32_t, kWindow> received_{};  ///< Number plus one, by number.
  std::vector<Waiting> waiting_;                   ///< By tick, then number.
  std::vector<Waiting> told_;                      ///< Holds the bytes of `due_`.
  std::vector<TimedEvent> due_;
  std::size_t held_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t in_vain_ = 0;
};

}  // namespace muster
