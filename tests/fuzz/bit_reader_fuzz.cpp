// The first quarter of the input is a list of reads, and the other bytes are the data of these
// reads. A second reader, which reads one bit at a time, must give the same values and the same
// failures.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "net/wire/bit_stream.h"

namespace {

using Bytes = std::span<const std::byte>;

void require(bool holds) {
  if (!holds) std::abort();
}

struct OneBitReader {
  Bytes bytes;
  std::size_t position = 0;
  bool failed = false;

  std::uint32_t read(unsigned count) {
    if (failed || bytes.size() * 8 - position < count) {
      failed = true;
      return 0;
    }
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++position) {
      const auto byte = std::to_integer<std::uint32_t>(bytes[position / 8]);
      value |= ((byte >> (position % 8)) & 1U) << i;
    }
    return value;
  }

  void align() {
    while (!failed && position % 8 != 0) failed = read(1) != 0;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> input(data, size);
  const std::span<const std::uint8_t> programme = input.first(size / 4);
  const Bytes bytes = std::as_bytes(input.subspan(size / 4));
  muster::BitReader reader(bytes);
  OneBitReader oracle{bytes};
  for (const std::uint8_t step : programme) {
    if (step < 0xC0) {
      const unsigned bits = 1 + step % muster::kMaxBitsPerCall;
      require(reader.read(bits) == oracle.read(bits));
    } else {
      reader.align();
      oracle.align();
      const std::size_t count = step - 0xC0U;
      const Bytes view = reader.read_bytes(count);
      if (oracle.failed || bytes.size() - oracle.position / 8 < count) {
        oracle.failed = true;
        require(view.empty());
      } else {
        require(view.size() == count);
        require(view.data() == bytes.data() + oracle.position / 8 || count == 0);
        oracle.position += count * 8;
      }
    }
    require(reader.failed() == oracle.failed);
    require(reader.failed() || reader.bit_position() == oracle.position);
  }
  if (reader.is_finished()) require(bytes.size() * 8 - oracle.position < 8);
  return 0;
}
