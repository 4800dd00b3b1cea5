// The JSON library does not report the positions of keys. But the library reads byte by byte, so an
// iterator that counts bytes gives the position when the library reports a key.
#include "registry/base/json_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <vector>

#include "registry/base/escaped_text.h"

namespace muster {
namespace {

// An iterator over the text that counts the bytes that were read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* begin, const char* at, std::size_t* bytes_read)
      : begin_(begin), at_(at), bytes_read_(bytes_read) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    *bytes_read_ = static_cast<std::size_t>(at_ - begin_);
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* begin_;
  const char* at_;
  std::size_t* bytes_read_;
};

std::string position_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // This is 0 on the first line.
  return "line " + std::to_string(line) + ", column " +
         std::to_string(before.size() - line_begin + 1) + ": ";
}

// The message for the unexpected byte at `offset`.
std::string unexpected_text(std::string_view text, std::size_t offset) {
  constexpr std::size_t kExcerptBytesMax = 20;
  if (offset >= text.size()) return "the text ends too early: a bracket or a quote is still open";
  std::string_view excerpt = text.substr(offset, kExcerptBytesMax);
  excerpt = excerpt.substr(0, excerpt.find_first_of("\r\n"));
  if (excerpt.empty()) return "the line ends too early";
  return "'" + escaped_text(excerpt) + "' is not expected here";
}

class JsonReading {
 public:
  JsonReading(std::string_view text, const JsonOptions& options) : text_(text), options_(options) {}

  Result<Json> run() {
    const char* const begin = text_.data();
    const char* const end = begin + text_.size();
    const auto note = [this](int depth, Json::parse_event_t event, Json& value) {
      note_event(depth, event, value);
      return true;
    };
    try {
      Json json = Json::parse(CountingIterator(begin, begin, &bytes_read_),
                              CountingIterator(begin, end, &bytes_read_), note, true,
                              options_.has_comments);
      if (!fault_.empty()) return fail(ErrorCode::malformed, fault_);
      return json;
    } catch (const Json::parse_error& problem) {
      if (!fault_.empty()) return fail(ErrorCode::malformed, fault_);
      // `problem.byte` is the end of the unexpected token.
      return refuse(token_begin(problem.byte));
    } catch (const Json::exception&) {
      return fail(ErrorCode::malformed,
                  position_text(text_, last_read()) + "a number has more digits than can be read");
    }
  }

 private:
  std::size_t last_read() const { return bytes_read_ == 0 ? 0 : bytes_read_ - 1; }

  tl::unexpected<Error> refuse(std::size_t offset) const {
    std::string why = unexpected_text(text_, offset);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      why = "this file is UTF-16; save it as UTF-8";
    } else if (text_.find_first_not_of(" \t\r\n") == text_.npos) {
      why = "the file is empty";
    }
    return fail(ErrorCode::malformed, position_text(text_, offset) + why);
  }

  // The offset of the first byte of a word or quoted text. `bytes` is the number of bytes up to the
  // end of this word or text.
  std::size_t token_begin(std::size_t bytes) const {
    std::size_t at = bytes == 0 ? 0 : bytes - 1;
    if (at >= text_.size()) return text_.size();
    if (at > 0 && text_[at] == '"') {
      const std::size_t opening = text_.rfind('"', at - 1);
      return opening == text_.npos ? at : opening;
    }
    const auto is_word = [&](std::size_t i) {
      const char c = text_[i];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    while (at > 0 && is_word(at) && is_word(at - 1)) --at;
    return at;
  }

  void note_event(int depth, Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event != Event::key || !fault_.empty()) return;
    const std::string& key = value.get_ref<const std::string&>();
    std::string why;
    if (!keys_.back().insert(key).second && !options_.may_repeat_keys) {
      why = "'" + escaped_text(key) + "' is repeated here; remove one of the two";
    } else if (options_.check_key) {
      why = options_.check_key(depth, key);
    }
    if (why.empty()) return;
    // The bytes read so far end with the key's closing quote.
    const std::size_t opening = text_.substr(0, last_read()).rfind('"');
    fault_ = position_text(text_, opening == text_.npos ? last_read() : opening) + why;
  }

  std::string_view text_;
  const JsonOptions& options_;
  std::size_t bytes_read_ = 0;
  std::vector<std::set<std::string>> keys_;  // The keys of each open object.
  std::string fault_;
};

}  // namespace

Result<Json> read_json(std::string_view text, const JsonOptions& options) {
  return JsonReading(text, options).run();
}

}  // namespace muster
