// Batches of datagrams, so that one system call can send or receive several datagrams.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/transport/datagram_socket.h"

namespace muster {

/// The number of datagrams in a batch.
inline constexpr std::size_t kBatch = 64;
/// The maximum number of packets of one connection per tick. Budgets allow far fewer packets, so
/// only a bug can reach this limit.
inline constexpr int kPacketsPerTickMax = 4096;

/// Computes the arrival times of datagrams. A datagram may arrive up to a tick before it is read.
/// The times never go back, even if the system's clock is set back.
class ArrivalClock {
 public:
  explicit ArrivalClock(Time now) : last_(now) {}

  Time arrival(const IncomingDatagram& datagram, Time now) {
    last_ = std::max(last_, now - datagram.waited);
    return last_;
  }
  /// Records that all datagrams were read. Later calls of `arrival` return at least `now`.
  void all_read(Time now) { last_ = std::max(last_, now); }

 private:
  Time last_;
};

/// The memory for received datagrams. Allocates on construction only.
class IncomingBatch {
 public:
  IncomingBatch() : memory_(kBatch * (kDatagramBytesMax + 1)) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      datagrams_[i].memory =
          std::span(memory_).subspan(i * (kDatagramBytesMax + 1), kDatagramBytesMax + 1);
    }
  }

  /// Returns the next datagram, valid until the next call; null if the socket has no more
  /// datagrams. A datagram that is too large has `kDatagramBytesMax + 1` bytes. A system call reads
  /// up to `maximum` datagrams. Later calls of `next` return the remaining datagrams. Requires:
  /// `maximum` is not 0.
  const IncomingDatagram* next(DatagramSocket& socket, Time now, std::size_t maximum) {
    if (next_ == count_) {
      const std::size_t wanted = std::min(maximum, kBatch);
      if (is_drained_ && count_ > 0) return end();
      next_ = 0;
      count_ = socket.receive(std::span(datagrams_).first(wanted));
      read_at_ = now;
      is_drained_ = count_ < wanted;
      if (count_ == 0) return end();
    }
    return &datagrams_[next_++];
  }
  /// The time at which the last batch was read.
  Time read_at() const { return read_at_; }

 private:
  /// Ends a batch, so that the next call reads the socket again.
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
  bool is_drained_ = false;  ///< True if the socket returned fewer datagrams than requested.
};

/// A batch of datagrams to send. Allocates on construction only.
class OutgoingBatch {
 public:
  OutgoingBatch() : memory_(kBatch * kDatagramBytesMax) {}

  /// Returns memory for the next datagram. Sends the batch first if it is full.
  std::span<std::byte> next(DatagramSocket& socket) {
    if (count_ == kBatch) flush(socket);
    return std::span(memory_).subspan(count_ * kDatagramBytesMax, kDatagramBytesMax);
  }
  /// Adds a datagram with the first `bytes` bytes of the memory that `next` returned.
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
  /// The bytes of all added datagrams, including datagrams that were not sent.
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
