// Sockets that a test controls: they return any datagrams, or fail at a chosen call.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include "net/transport/datagram_socket.h"

namespace muster {

/// A socket that receives the datagrams that `next` writes. Counts sent bytes.
class FloodSocket final : public DatagramSocket {
 public:
  /// Writes a datagram and returns its size; 0 ends this receive call.
  using Next = std::function<std::size_t(std::span<std::byte> memory, Address& from)>;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) {
      bytes_out += each.bytes.size();
      if (on_send) on_send(each);
    }
    return {.sent = datagrams.size()};
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    std::size_t count = 0;
    for (; count < datagrams.size(); ++count) {
      IncomingDatagram& into = datagrams[count];
      into.byte_count = next(into.memory, into.from);
      if (into.byte_count == 0) break;
      bytes_in += into.byte_count;
    }
    return count;
  }
  void wait(Duration) override {}
  Address local_address() const override { return Address::ipv4({10, 0, 0, 1}, 7000); }

  Next next;
  std::function<void(const OutgoingDatagram&)> on_send;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Forwards calls to another socket, and makes chosen calls fail.
class FailingSocket final : public DatagramSocket {
 public:
  enum class Failure : std::uint8_t {
    none,
    not_sent,   ///< The system refuses all datagrams.
    too_large,  ///< The system refuses all datagrams as too large.
    deaf,       ///< No datagram is received, as after an error.
    cut,        ///< Only the first byte of each datagram is received.
  };

  explicit FailingSocket(DatagramSocket& inner) : inner_(inner) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    switch (next_failure()) {
      case Failure::not_sent:
        return {.failed = datagrams.size()};
      case Failure::too_large:
        return {.too_large = datagrams.size()};
      default:
        return inner_.send(datagrams);
    }
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    const Failure failure = next_failure();
    if (failure == Failure::deaf) return 0;
    const std::size_t count = inner_.receive(datagrams);
    if (failure == Failure::cut) {
      for (IncomingDatagram& each : datagrams.first(count)) {
        each.byte_count = std::min<std::size_t>(each.byte_count, 1);
      }
    }
    return count;
  }
  void wait(Duration timeout) override { inner_.wait(timeout); }
  Address local_address() const override { return inner_.local_address(); }

  /// Makes `count` calls fail in this way, beginning with call `first` (counted from 0).
  void fail(Failure failure, std::uint64_t first, std::uint64_t count) {
    failure_ = failure;
    first_ = first;
    end_ = first + count;
  }
  std::uint64_t calls() const { return calls_; }

 private:
  Failure next_failure() {
    const std::uint64_t call = calls_++;
    return call >= first_ && call < end_ ? failure_ : Failure::none;
  }

  DatagramSocket& inner_;
  Failure failure_ = Failure::none;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace muster
