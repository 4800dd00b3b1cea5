// The sources of time, network, randomness, files and the log. Only `main` and tests create them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/clock.h"
#include "registry/base/result.h"

namespace muster {

class Address;
class DatagramSocket;
class Entropy;

enum class LogLevel : std::uint8_t { info, warning, error };

/// Opens sockets and resolves names.
class Network {
 public:
  virtual ~Network() = default;
  /// Opens a socket at `host:port`. If the text is empty, the system chooses the address and port.
  /// Fails with `invalid_argument` if the text is not an address, and with `busy` if the address is
  /// in use.
  virtual Result<std::unique_ptr<DatagramSocket>> open(std::string_view address) = 0;
  /// Returns the address of `host:port`, where the host is a name or an address. The result for
  /// [::] or 0.0.0.0 is the machine's loopback address. Never blocks.
  /// While the name is being looked up, the function returns nothing, and the caller must call
  /// again later with the same text. Fails with `invalid_argument` for a text without a port, and
  /// with `not_found` for an unknown name.
  virtual std::optional<Result<Address>> resolve(std::string_view name) = 0;
};

/// A file that grows while a session runs.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  /// Fails if the bytes cannot be written, with the code of the disk's error.
  virtual Result<void> append(Bytes bytes) = 0;
  /// Passes all appended bytes to the operating system. No byte is lost if the program is killed
  /// later.
  virtual Result<void> flush() = 0;
};

/// Reads and creates files.
class Files {
 public:
  virtual ~Files() = default;
  /// Reads a whole file. Fails with `not_found` if the file does not exist, or with the code of the
  /// disk's error.
  virtual Result<ByteVector> read(const std::string& path) = 0;
  /// Creates a file that only its owner can read. Fails with `already_exists` if the file exists,
  /// or with the code of the disk's error.
  virtual Result<void> create_secret(const std::string& path, Bytes bytes) = 0;
  /// Creates a file, or empties an existing file. Fails if this is not possible, with the code of
  /// the disk's error.
  virtual Result<std::unique_ptr<OutputFile>> create(const std::string& path) = 0;
};

/// The interface between a session and the machine. The interface must outlive all servers and
/// clients that are opened with it. A server or client calls the interface only on the thread that
/// calls the server or client.
class Edges {
 public:
  virtual ~Edges() = default;
  virtual Time now() = 0;
  virtual std::uint64_t unix_seconds() = 0;  ///< The time since 1970, for connect tokens.
  virtual Network& network() = 0;
  virtual Entropy& entropy() = 0;
  virtual Files& files() = 0;
  virtual void log(LogLevel level, std::string_view line) = 0;
};

/// The edges of the real machine. Log lines are written to standard error. Paths are paths of the
/// operating system.
class SystemEdges final : public Edges {
 public:
  SystemEdges();
  ~SystemEdges() override;
  Time now() override;
  std::uint64_t unix_seconds() override;
  Network& network() override;
  Entropy& entropy() override;
  Files& files() override;
  void log(LogLevel level, std::string_view line) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One direction of a simulated network path.
struct Link {
  Duration delay{};
  Duration jitter{};
  double loss = 0;                        ///< The share of lost datagrams, 0 to 1.
  double duplicate = 0;                   ///< The share of duplicated datagrams, 0 to 1.
  double corrupt = 0;                     ///< The share of corrupted datagrams, 0 to 1.
  double bytes_per_second = 0;            ///< The bandwidth; 0 for no limit.
  std::uint32_t queue_bytes = 64 * 1024;  ///< The maximum number of bytes that wait for bandwidth.
  bool may_reorder = true;
  bool is_down = false;
};

/// A whole simulated network in one process. All random numbers derive from one seed. Only
/// `advance` changes the time. Only one thread at a time may use this object.
class SimulatedEdges {
 public:
  explicit SimulatedEdges(std::uint64_t seed);
  ~SimulatedEdges();
  SimulatedEdges(const SimulatedEdges&) = delete;
  SimulatedEdges& operator=(const SimulatedEdges&) = delete;

  /// Returns a machine that other machines reach by its name, for example "alice:7000". The
  /// machine's files are in memory. A second call with the same name returns the same machine. The
  /// machine lives as long as this object.
  Edges& host(std::string_view name, const Link& link = {});
  /// Replaces both directions of a host's path. Requires: the network has a host with this name.
  void set_link(std::string_view host, const Link& link);
  void set_links(std::string_view host, const Link& up, const Link& down);
  void advance(Duration by);
  Time now() const;
  /// Whether datagrams are in flight.
  bool is_busy() const;
  /// The lines that the hosts have logged. Each line begins with the host's name.
  std::span<const std::string> log() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Converts to true after SIGINT or SIGTERM. While this object lives, these signals do not end the
/// program. Create one object per process, at the beginning of `main`, before the first thread
/// starts.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  explicit operator bool() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
