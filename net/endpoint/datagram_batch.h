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
  explicit ArrivalClock(NetTime now) : last_(now) {}

  NetTime arrival(const IncomingDatagram& datagram, NetTime now) {
    last_ = std::max(last_, now - datagram.waited);
    return last_;
  }
  /// Everything was read: what comes now arrives later.
  void all_read(NetTime now) { last_ = std::max(last_, now); }

 private:
  NetTime last_;
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

  /// What has arrived, at most `kBatch` datagrams; good until the next call. Those that were larger
  /// than any of ours are there with one byte too many.
  std::span<IncomingDatagram> receive(DatagramSocket& socket) {
    return std::span(datagrams_).first(socket.receive(datagrams_));
  }

 private:
  std::vector<std::byte> memory_;
  std::array<IncomingDatagram, kBatch> datagrams_{};
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
  /// The first bytes of that memory are to go to an address.
  void add(const Address& to, std::size_t bytes) {
    datagrams_[count_] = {.to = to,
                          .bytes = std::span(memory_).subspan(count_ * kDatagramBytesMax, bytes)};
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
