#include "tests/support/text_project.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "registry/base/disk_file_system.h"

namespace muster::testing {
namespace {

constexpr std::string_view kMarkerBegin = "-- ";
constexpr std::string_view kMarkerEnd = " --";
constexpr std::size_t kGuidDigits = 32;

bool is_marker(std::string_view line) {
  return line.size() > kMarkerBegin.size() + kMarkerEnd.size() && line.starts_with(kMarkerBegin) &&
         line.ends_with(kMarkerEnd);
}

bool remove_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::string unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') continue;
    if (text[at] != '\\') {
      bytes += text[at];
      continue;
    }
    if (++at == text.size()) throw std::runtime_error("a text project ends in an escape");
    const char kind = text[at];
    unsigned value = kind == 'n' ? '\n' : static_cast<unsigned char>(kind);
    if (kind == 'x') {
      std::from_chars(text.data() + at + 1, text.data() + at + 3, value, 16);
      at += 2;
    }
    bytes += static_cast<char>(value);
  }
  return bytes;
}

// A file or folder whose marker was read.
struct Part {
  std::string_view name;
  std::string_view guid;
  bool is_escaped = false;

  explicit Part(std::string_view marker) {
    marker.remove_prefix(kMarkerBegin.size());
    remove_end(marker, kMarkerEnd);
    is_escaped = remove_end(marker, " escaped");
    if (remove_end(marker, "]")) {
      if (marker.size() < kGuidDigits) throw std::runtime_error("a text project has a bad guid");
      guid = marker.substr(marker.size() - kGuidDigits);
      marker.remove_suffix(kGuidDigits + std::string_view(" [").size());
    }
    name = marker;
  }
};

void add(const Part& part, std::string_view content, TextProject& project) {
  if (part.name == "expected") {
    project.expected = content;
    return;
  }
  std::string_view path = part.name;
  const bool is_folder = remove_end(path, "/");
  if (!part.guid.empty()) {
    project.files.add(std::string(path) + ".meta",
                      "fileFormatVersion: 2\nguid: " + std::string(part.guid) + "\n" +
                          (is_folder ? "folderAsset: yes\n" : ""));
  }
  if (is_folder) return;
  project.files.add(std::string(path), part.is_escaped ? unescape(content) : std::string(content));
}

}  // namespace

TextProject read_text_project(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const DiskFileSystem disk = DiskFileSystem::open(path.substr(0, slash)).value();
  ByteVector buffer;
  const std::string_view text =
      as_text(read_whole(disk, AssetPath().child(path.substr(slash + 1)), 1 << 20, buffer).value());
  TextProject project;
  std::size_t part_begin = 0;  // The line of the open part's marker; its content follows.
  std::size_t content_begin = std::string_view::npos;
  const auto end_part = [&](std::size_t end) {
    if (content_begin == std::string_view::npos) return;
    const Part part(text.substr(part_begin, content_begin - 1 - part_begin));
    add(part, text.substr(content_begin, end - content_begin), project);
  };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t next = std::min(text.find('\n', line), text.size() - 1) + 1;
    if (is_marker(text.substr(line, next - 1 - line))) {
      end_part(line);
      part_begin = line;
      content_begin = next;
    }
    line = next;
  }
  end_part(text.size());
  return project;
}

}  // namespace muster::testing
