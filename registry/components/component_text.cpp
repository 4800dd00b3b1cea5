#include "registry/components/component_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "registry/base/guid.h"
#include "registry/base/hex.h"
#include "registry/components/lanes.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kAxes = {"x", "y", "z", "w"};

template <typename T>
std::string number(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return ".nan";
    if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  }
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

// Returns the text in double quotes, with escapes that both YAML readers support.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHexDigits[byte >> 4U];
      out += kHexDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A name as a YAML key or value. The name is quoted if YAML would not read it as this text.
std::string word(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_plain = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  // The comparison ignores case, because YAML parsers ignore the case of these words.
  constexpr std::array<std::string_view, 9> kMeant = {"null", "true", "false", "yes", "no",
                                                      "on",   "off",  "y",     "n"};
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool is_word = !name.empty() && is_letter(name.front()) &&
                       std::ranges::all_of(name, is_plain) &&
                       std::ranges::find(kMeant, lower) == kMeant.end();
  return is_word ? std::string(name) : quoted(name);
}

std::string guid_text(const std::byte* at) { return Guid::from_bytes(Bytes(at, 16)).to_string(); }

std::string lane_text(FieldType lane, const std::byte* at) {
  return with_lane_type(lane, [&]<typename T>(T) { return number(load_lane<T>(at)); });
}

std::string element_text(const FieldDescription& field, const std::byte* at) {
  switch (field.type) {
    case FieldType::boolean:
      return load_lane<std::uint8_t>(at) != 0 ? "true" : "false";
    case FieldType::text: {
      const std::string_view all(reinterpret_cast<const char*>(at), field.element_bytes);
      return quoted(all.substr(0, all.find('\0')));
    }
    case FieldType::asset:
      return "{guid: " + guid_text(at) + "}";
    case FieldType::vec2:
    case FieldType::vec3:
    case FieldType::quaternion: {
      std::string text = "{";
      for (std::uint32_t lane = 0; lane < lane_count(field); ++lane) {
        if (lane > 0) text += ", ";
        text += std::string(kAxes[lane]) + ": ";
        text += lane_text(FieldType::float32, at + lane * sizeof(float));
      }
      return text + "}";
    }
    default:
      break;
  }
  const std::string text = lane_text(lane_type(field.type), at);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool is_named = error == std::errc() && end == text.data() + text.size();
  return is_named && index < field.names.size() ? word(field.names[index]) : text;
}

std::string field_text(const FieldDescription& field, Bytes value) {
  const std::byte* const first = value.data() + field.offset_bytes;
  if (field.count == 1) return element_text(field, first);
  std::string text = "[";
  for (std::uint32_t i = 0; i < field.count; ++i) {
    if (i > 0) text += ", ";
    text += element_text(field, first + std::size_t{i} * field.element_bytes);
  }
  return text + "]";
}

/// The first step of a field's path. For `slots[2].ammo`: the name `slots`, the index `2` and the
/// rest `ammo`.
struct Step {
  std::string_view name;
  std::string_view index;  ///< The digits of the index; empty if none exists.
  std::string_view rest;   ///< The rest of the path; empty for a value.
};

Step first_step(std::string_view path) {
  const std::size_t dot = path.find('.');
  Step step{.name = path.substr(0, dot), .index = {}, .rest = {}};
  if (dot != std::string_view::npos) step.rest = path.substr(dot + 1);
  const std::size_t bracket = step.name.find('[');
  if (bracket != std::string_view::npos) {
    step.index = step.name.substr(bracket + 1, step.name.size() - bracket - 2);
    step.name = step.name.substr(0, bracket);
  }
  return step;
}

class Writer {
 public:
  Writer(const ComponentDescription& component, Bytes value, const ComponentTextOptions& options)
      : component_(component), value_(value), options_(options) {}

  std::string run() {
    write_fields(0, component_.fields.size(), 0, options_.indent);
    return std::move(out_);
  }

 private:
  std::string_view path_after(std::size_t field, std::size_t prefix) const {
    return std::string_view(component_.fields[field].name).substr(prefix);
  }

  // Writes the fields [begin, end), whose names have the same first `prefix` characters. The fields
  // of a struct are adjacent, because all fields are sorted by offset.
  void write_fields(std::size_t begin, std::size_t end, std::size_t prefix, std::size_t indent) {
    while (begin < end) {
      const Step step = first_step(path_after(begin, prefix));
      if (step.rest.empty()) {
        line(component_.fields[begin], step.name, indent);
        ++begin;
        continue;
      }
      std::size_t after = begin;
      while (after < end && first_step(path_after(after, prefix)).name == step.name) ++after;
      out_.append(indent, ' ') += word(step.name) + ":\n";
      write_struct(begin, after, prefix, indent);
      begin = after;
    }
  }

  void write_struct(std::size_t begin, std::size_t end, std::size_t prefix, std::size_t indent) {
    while (begin < end) {
      const Step step = first_step(path_after(begin, prefix));
      std::size_t after = begin;
      while (after < end && first_step(path_after(after, prefix)).index == step.index) ++after;
      const std::size_t inner = component_.fields[begin].name.size() - step.rest.size();
      const std::size_t at = out_.size();
      write_fields(begin, after, inner, indent + 2);
      if (!step.index.empty()) out_[at + indent] = '-';
      begin = after;
    }
  }

  void line(const FieldDescription& field, std::string_view name, std::size_t indent) {
    out_.append(indent, ' ') += word(name) + ": " + field_text(field, value_);
    if (options_.with_units && !field.unit.empty()) out_ += "  # " + field.unit;
    out_ += '\n';
  }

  const ComponentDescription& component_;
  Bytes value_;
  ComponentTextOptions options_;
  std::string out_;
};

}  // namespace

std::string component_text(const ComponentDescription& component, Bytes value,
                           const ComponentTextOptions& options) {
  assert(value.size() >= component.size_bytes);
  return Writer(component, value, options).run();
}

}  // namespace muster
