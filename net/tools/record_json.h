// Converts a record of a capture to JSON with every field. The readable text is derived from it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/capture/capture_reader.h"

namespace muster {

/// Every field of a record, including the packet or datagram in it. The names are those of the
/// format documents; bytes are hexadecimal; `problem` names a format error.
nlohmann::ordered_json json_of(const CaptureRecord& record);

/// Converts the JSON of a record to readable text: a line for the record, and a line below it for
/// each item of its sections. Long byte strings are cut.
std::string text_of(const nlohmann::ordered_json& record);

}  // namespace muster
