// Converts a record of a capture to JSON and to text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/capture/capture_reader.h"

namespace muster {

/// Returns every field of a record, including the fields of its packet or datagram. The names are
/// the names in the format documents. Bytes are hexadecimal. `problem` names a format error.
nlohmann::ordered_json json_of(const CaptureRecord& record);

/// Converts the JSON of a record to text: a line for the record, and a line for each item of its
/// sections. Long byte strings are cut.
std::string text_of(const nlohmann::ordered_json& record);

}  // namespace muster
