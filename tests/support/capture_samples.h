// A capture that uses every record, section and datagram of its format once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace muster::samples {

/// The bytes of tests/golden/net/sample.mcapture.
std::vector<std::byte> sample_capture();

/// Captures of a server and its first client over a simulated minute with loss: handshakes,
/// messages, payloads and a block, with seals. The second client leaves at the end. Also the hashes
/// of what the games read, as `ReceivedHash::value`.
struct LiveCapture {
  std::vector<std::byte> server;
  std::vector<std::byte> client;                     ///< The first client's capture.
  std::map<std::uint32_t, std::uint64_t> at_server;  ///< A hash per client, by its slot.
  std::uint64_t at_client = 0;
  std::uint64_t client_blocks = 0;
};
LiveCapture live_capture(std::uint64_t seed);

}  // namespace muster::samples
