// Datagrams in batches: one call of the system for many.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/transport/datagram_socket.h"

namespace muster {

/// How many datagrams one call takes or gives.
inline constexpr std::size_t kBatch = 64;
/// Packets of one connection in one tick: a budget never asks for more, an error must not hang.
inline constexpr int kPacketsPerTickMax = 4096;

/// When datagrams arrived, which may be a tick before they are read. The times never go back,
/// whatever the system's clock does.
class ArrivalClock {
 public:
  explicit ArrivalClock(Time now) : last_(now) {}

  Time arrival(const IncomingDatagram& datagram, Time now) {
    last_ = std::max(last_, now - datagram.waited);
    return last_;
  }
  /// Everything was read: what comes now arrives later.
  void all_read(Time now) { last_ = std::max(last_, now); }

 private:
  Time last_;
};

/// Memory for datagrams that arrive. Allocates on construction only.
class IncomingBatch {
 public:
  IncomingBatch() : memory_(kBatch * (kDatagramBytesMax + 1)) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      datagrams_[i].memory =
          std::span(memory_).subspan(i * (kDatagramBytesMax + 1), kDatagramBytesMax + 1);
    }
  }

  /// The next datagram; null when the socket has no more. Good until the next call. One that was
  /// larger than any of ours has one byte too many. Reads up to `most` at once; those that the
  /// caller does not take now come first next time. Requires: `most` is not 0.
  const IncomingDatagram* next(DatagramSocket& socket, Time now, std::size_t most) {
    if (next_ == count_) {
      const std::size_t wanted = std::min(most, kBatch);
      if (is_drained_ && count_ > 0) return end();
      next_ = 0;
      count_ = socket.receive(std::span(datagrams_).first(wanted));
      read_at_ = now;
      is_drained_ = count_ < wanted;
      if (count_ == 0) return end();
    }
    return &datagrams_[next_++];
  }
  /// When the last datagram was read from the socket.
  Time read_at() const { return read_at_; }

 private:
  /// The next call asks the socket again.
  const IncomingDatagram* end() {
    next_ = count_ = 0;
    is_drained_ = false;
    return nullptr;
  }

  std::vector<std::byte> memory_;
  std::array<IncomingDatagram, kBatch> datagrams_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  Time read_at_{};
  bool is_drained_ = false;  ///< The socket had fewer than it was asked for.
};

/// Datagrams that are to go out. Allocates on construction only.
class OutgoingBatch {
 public:
  OutgoingBatch() : memory_(kBatch * kDatagramBytesMax) {}

  /// Memory for the next datagram. Sends what is there when all is used.
  std::span<std::byte> next(DatagramSocket& socket) {
    if (count_ == kBatch) flush(socket);
    return std::span(memory_).subspan(count_ * kDatagramBytesMax, kDatagramBytesMax);
  }
  /// The first bytes of that memory go to a peer, from the address of ours that it knows.
  void add(const DatagramPath& path, std::size_t bytes) {
    datagrams_[count_] = {.to = path.peer,
                          .bytes = std::span(memory_).subspan(count_ * kDatagramBytesMax, bytes),
                          .from = path.local};
    ++count_;
    bytes_ += bytes;
  }
  void flush(DatagramSocket& socket) {
    if (count_ == 0) return;
    const SendOutcome outcome = socket.send(std::span(datagrams_).first(count_));
    sent_ += outcome.sent;
    failed_ += outcome.failed + outcome.too_large;
    count_ = 0;
  }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t failed() const { return failed_; }
  /// Of all datagrams that were added, whatever became of them.
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::vector<std::byte> memory_;
  std::array<OutgoingDatagram, kBatch> datagrams_{};
  std::size_t count_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace muster
