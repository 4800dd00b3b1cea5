#include "tests/bench/trace_file.h"

#include <fmt/format.h>

#include "tests/bench/recording_trace.h"

namespace muster {

Result<Trace> load_trace(const std::string& path, const std::string& scenes) {
  const Result<ByteVector> bytes = read_unpacked(path);
  if (!bytes) return fail(bytes.error());
  if (is_recording(bytes.value())) return trace_of_recording(bytes.value(), path);
  const std::string name = trace_name(bytes.value());
  std::string scene;
  // A name from a trace must not be a path.
  if (!name.empty() && name.find('/') == std::string::npos) {
    const Result<ByteVector> text = read_file(scenes + "/" + name + ".json");
    if (text) scene.assign(reinterpret_cast<const char*>(text.value().data()), text.value().size());
  }
  Trace trace;
  std::string error;
  if (!read_trace(bytes.value(), scene, trace, error)) {
    return fail(ErrorCode::malformed, fmt::format("'{}': {}", path, error));
  }
  return trace;
}

}  // namespace muster
