// Formats that may contain uncompressed data are not included (TIFF, WAV, DDS, KTX 1). The members
// of zip files are not examined.
#include "bundler/pack/compressed_media.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace muster {
namespace {

using namespace std::string_view_literals;

constexpr std::array kBeginnings = {"\x89PNG\r\n\x1a\n"sv,
                                    "\xFF\xD8\xFF"sv,
                                    "GIF87a"sv,
                                    "GIF89a"sv,
                                    "OggS"sv,
                                    "ID3"sv,
                                    "fLaC"sv,
                                    "\x1A\x45\xDF\xA3"sv,
                                    "PK\x03\x04"sv,
                                    "\x1F\x8B\x08"sv,
                                    "\x28\xB5\x2F\xFD"sv,
                                    "\xFD"
                                    "7zXZ\0"sv,
                                    "7z\xBC\xAF\x27\x1C"sv,
                                    "\x04\x22\x4D\x18"sv,
                                    "wOFF"sv,
                                    "wOF2"sv};

bool is_bzip2(std::string_view text) {
  return text.size() > 4 && text.starts_with("BZh") &&
         text.substr(4).starts_with("\x31\x41\x59\x26\x53\x59");
}

// Whether a text begins with the header of an MP3 frame: four bytes of flags, in which some values
// are invalid.
bool is_mp3_frame(std::string_view text) {
  if (text.size() < 4) return false;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const bool is_layer_3 = byte(0) == 0xFF && (byte(1) & 0xE6U) == 0xE2 && (byte(1) & 0x18U) != 0x08;
  const unsigned bit_rate = byte(2) >> 4U;
  const unsigned sample_rate = byte(2) >> 2U & 3U;
  return is_layer_3 && bit_rate != 0 && bit_rate != 15 && sample_rate != 3;
}

// Whether a text is a KTX 2 file whose supercompression scheme is not "none".
bool is_packed_ktx2(std::string_view text) {
  constexpr std::size_t kSchemeAt = 44;
  return text.starts_with("\xABKTX 20\xBB\r\n\x1A\n"sv) && text.size() >= kSchemeAt + 4 &&
         text.substr(kSchemeAt, 4) != "\0\0\0\0"sv;
}

}  // namespace

bool is_compressed_media(Bytes content) {
  const std::string_view text = as_text(content.first(std::min<std::size_t>(content.size(), 64)));
  for (const std::string_view beginning : kBeginnings) {
    if (text.starts_with(beginning)) return true;
  }
  const auto has_at = [&](std::size_t at, std::string_view what) {
    return text.size() >= at + what.size() && text.substr(at, what.size()) == what;
  };
  return has_at(4, "ftyp") || (has_at(0, "RIFF") && has_at(8, "WEBP")) || is_bzip2(text) ||
         is_mp3_frame(text) || is_packed_ktx2(text);
}

}  // namespace muster
