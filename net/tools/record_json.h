// A record of a capture with every field, as JSON; the text for people derives from it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "net/capture/capture_reader.h"

namespace muster {

/// Every field of a record, of the packet or datagram in it included. Names are those of the format
/// documents; bytes are hexadecimal; `problem` names what in it breaks the format.
nlohmann::ordered_json json_of(const CaptureRecord& record);

/// The same for a person: a line for the record, and one below it for each item of its sections.
/// Long bytes are cut.
std::string text_of(const nlohmann::ordered_json& record);

}  // namespace muster
