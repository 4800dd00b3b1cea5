// Captures for tests: one that uses every record, section and datagram of the format, and captures
// of a match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace muster::samples {

/// The bytes of tests/golden/net/sample.mcapture.
std::vector<std::byte> sample_capture();

/// Captures of a server and its first client over a simulated minute with loss, with handshakes,
/// encryption, messages, payloads and a block. The second client leaves at the end. The hashes of
/// the data that the games read are values of `ReceivedHash::value`.
struct LiveCapture {
  std::vector<std::byte> server;
  std::vector<std::byte> client;                     ///< The first client's capture.
  std::map<std::uint32_t, std::uint64_t> at_server;  ///< A hash per client, by its slot.
  std::uint64_t at_client = 0;
  std::uint64_t client_blocks = 0;
};
LiveCapture live_capture(std::uint64_t seed);

}  // namespace muster::samples
