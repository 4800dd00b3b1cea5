// Captures as pcap files, for Wireshark and its kin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/capture/capture_reader.h"

namespace muster {

/// A pcap file and how its making ended.
struct PcapFile {
  std::vector<std::byte> bytes;
  std::uint64_t datagrams = 0;
  std::uint64_t homeless = 0;  ///< Packets of no recorded connection: their addresses are zero.
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< Where reading ended.
};

/// Converts as net/capture/CAPTURE_FORMAT.md says, everything up to where the capture ends or
/// breaks. The result is a little larger than the capture.
PcapFile pcap_of(std::span<const std::byte> capture);

}  // namespace muster
