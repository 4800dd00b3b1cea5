// The input is a trace of a world. After the last zero byte, it has the description of the trace's
// scene. Parsed values must be within their limits.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "net/tools/training/trace.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = text.rfind('\0');
  const std::string_view scene =
      zero == std::string_view::npos ? std::string_view() : text.substr(zero + 1);
  const std::string_view bytes = text.substr(0, size - scene.size());
  Trace trace;
  std::string error;
  static_cast<void>(trace_name(std::as_bytes(std::span(bytes))));
  if (!read_trace(std::as_bytes(std::span(bytes)), scene, trace, error)) {
    require(!error.empty());
    return 0;
  }
  require(trace.initial_values.size() == trace.types.size());
  for (std::size_t i = 0; i < trace.types.size(); ++i) {
    require(trace.initial_values[i].size() == trace.types[i].lanes.size());
  }
  require(trace.tick_rate > 0);
  for (const auto& tick : trace.ticks) {
    for (const TraceEntity& entity : tick) {
      require(entity.id != SliceId{0xFFFF'FFFF});
      require(&entity == tick.data() || (&entity - 1)->id < entity.id);
      const auto& lanes = trace.types.at(codec_index(entity.type)).lanes;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        require(entity.values[i] <= lanes[i].maximum);
      }
    }
  }
  return 0;
}
