// Guids and names are stored once in tables, because most of them are used often.
#include "bundler/incremental/state_facts.h"

#include <algorithm>
#include <limits>
#include <string>

namespace muster {
namespace {

constexpr std::uint8_t kFolder = 0x01;
constexpr std::uint8_t kMentions = 0x02;
constexpr std::uint8_t kPackable = 0x01;
constexpr std::uint8_t kFitValues = 0x02;
constexpr std::uint8_t kStripped = 0x04;  // The bit of the client; the next bit is for the server.
constexpr std::uint8_t kKnownFlags = 0x0F;

template <typename Value>
void sort_once(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

class FactsWriter {
 public:
  FactsWriter(ByteWriter& out, const BuildState& state) : out_(out), state_(state) {}

  void write() {
    collect();
    out_.varint(guids_.size());
    for (const Guid& guid : guids_) out_.bytes(guid.bytes());
    out_.varint(names_.size());
    for (const std::string& name : names_) out_.text(name);
    out_.varint(state_.sidecars.size());
    for (const auto& [input, facts] : state_.sidecars) {
      out_.varint(input);
      out_.u8(static_cast<std::uint8_t>((facts.is_folder ? kFolder : 0) |
                                        (facts.has_mentions ? kMentions : 0)));
      out_.bytes(facts.guid.bytes());
    }
    out_.varint(state_.mentions.size());
    for (const auto& [input, mentions] : state_.mentions) {
      out_.varint(input);
      out_.varint(mentions.size());
      for (const FileMention& one : mentions) {
        out_.varint(number_of(one.guid));
        out_.u8(static_cast<std::uint8_t>(one.kind));
        out_.varint(one.offset_bytes);
        out_.varint(one.times);
      }
    }
    out_.bytes(std::as_bytes(std::span(state_.known_terms.bytes)));
    out_.varint(state_.known.size());
    for (const StateKnown& known : state_.known) write_known(known);
  }

 private:
  void collect() {
    for (const StateMentions& file : state_.mentions) {
      for (const FileMention& one : file.mentions) guids_.push_back(one.guid);
    }
    for (const StateKnown& known : state_.known) {
      const AssetFacts& facts = known.facts;
      guids_.insert(guids_.end(), facts.sources.begin(), facts.sources.end());
      guids_.insert(guids_.end(), facts.scripts.begin(), facts.scripts.end());
      names_.push_back(facts.class_name);
      for (const auto& stripped : facts.stripped) {
        if (!stripped) continue;
        names_.push_back(stripped->rule);
        for (const auto& [name, components] : stripped->components) names_.push_back(name);
        for (const auto& [what, times] : stripped->counts) guids_.push_back(what.first);
      }
    }
    sort_once(guids_);
    sort_once(names_);
  }

  std::size_t number_of(const Guid& guid) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(guids_, guid) - guids_.begin());
  }
  std::size_t number_of(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(names_, name) - names_.begin());
  }

  void write_guids(const std::vector<Guid>& guids) {
    out_.varint(guids.size());
    for (const Guid& guid : guids) out_.varint(number_of(guid));
  }

  void write_known(const StateKnown& known) {
    const AssetFacts& facts = known.facts;
    unsigned flags =
        (facts.is_packable ? kPackable : 0U) | (facts.has_fit_values ? kFitValues : 0U);
    for (std::size_t i = 0; i < facts.stripped.size(); ++i) {
      if (facts.stripped[i]) flags |= static_cast<unsigned>(kStripped) << i;
    }
    out_.varint(known.asset);
    out_.bytes(std::as_bytes(std::span(known.key.bytes)));
    out_.u8(static_cast<std::uint8_t>(flags));
    write_guids(facts.sources);
    write_guids(facts.scripts);
    out_.varint(number_of(facts.class_name));
    for (const auto& stripped : facts.stripped) {
      if (stripped) write_stripped(*stripped);
    }
  }

  void write_stripped(const StrippedFile& file) {
    out_.varint(number_of(file.rule));
    out_.varint(file.components.size());
    for (const auto& [name, components] : file.components) {
      out_.varint(number_of(name));
      out_.varint(components.count);
      out_.varint(components.source_bytes);
    }
    out_.varint(file.counts.size());
    for (const auto& [what, times] : file.counts) {
      out_.varint(number_of(what.first));
      out_.u8(static_cast<std::uint8_t>(what.second));
      out_.varint(times);
    }
  }

  ByteWriter& out_;
  const BuildState& state_;
  std::vector<Guid> guids_;
  std::vector<std::string> names_;
};

class FactsReader {
 public:
  FactsReader(StateReader& in, BuildState& state) : in_(in), state_(state) {}

  void read() {
    guids_.resize(in_.count(16));
    for (Guid& guid : guids_) guid = in_.guid();
    names_.resize(in_.count(1));
    for (std::string& name : names_) name = in_.text();
    if (!is_strictly_sorted(guids_) || !is_strictly_sorted(names_)) in_.fail();
    const std::uint32_t inputs = InputNumbers(state_).count();
    state_.sidecars.resize(in_.count(18));
    for (StateSidecar& one : state_.sidecars) {
      one.input = in_.index(inputs);
      const std::uint8_t flags = in_.u8();
      if ((flags & ~(kFolder | kMentions)) != 0) in_.fail();
      one.facts.is_folder = (flags & kFolder) != 0;
      one.facts.has_mentions = (flags & kMentions) != 0;
      one.facts.guid = in_.guid();
      if (one.facts.guid.is_null()) in_.fail();
    }
    if (!is_sorted(state_.sidecars, &StateSidecar::input)) in_.fail();
    state_.mentions.resize(in_.count(2));
    for (StateMentions& file : state_.mentions) {
      file.input = in_.index(inputs);
      read_mentions(file.mentions);
      if (in_.failed()) return;
    }
    if (!is_sorted(state_.mentions, &StateMentions::input)) in_.fail();
    state_.known_terms = in_.hash();
    state_.known.resize(in_.count(21));
    for (StateKnown& known : state_.known) {
      read_known(known);
      if (in_.failed()) return;
    }
    if (!is_sorted(state_.known, &StateKnown::asset)) in_.fail();
  }

 private:
  template <typename Value>
  static bool is_strictly_sorted(const std::vector<Value>& values) {
    return std::ranges::adjacent_find(values, std::ranges::greater_equal{}) == values.end();
  }

  // Reads the number of a guid in the table. An invalid number makes the reader fail.
  Guid guid() {
    const std::uint32_t number = in_.index(guids_.size());
    return in_.failed() ? Guid() : guids_[number];
  }
  std::string name() {
    const std::uint32_t number = in_.index(names_.size());
    return in_.failed() ? std::string() : names_[number];
  }

  yaml::MentionKind kind() {
    const std::uint8_t value = in_.u8();
    if (value > static_cast<unsigned>(yaml::MentionKind::json)) in_.fail();
    return static_cast<yaml::MentionKind>(value);
  }

  std::uint32_t times() {
    const std::uint64_t value = in_.varint();
    if (value == 0 || value > std::numeric_limits<std::uint32_t>::max()) in_.fail();
    return static_cast<std::uint32_t>(value);
  }

  void read_mentions(std::vector<FileMention>& mentions) {
    mentions.resize(in_.count(4));
    for (FileMention& one : mentions) {
      one.guid = guid();
      one.kind = kind();
      one.offset_bytes = in_.varint();
      one.times = times();
    }
    if (!std::ranges::is_sorted(mentions, {}, &FileMention::offset_bytes)) in_.fail();
  }

  void read_guids(std::vector<Guid>& guids) {
    guids.resize(in_.count(1));
    for (Guid& one : guids) one = guid();
    if (!is_strictly_sorted(guids)) in_.fail();
  }

  void read_known(StateKnown& known) {
    known.asset = in_.index(state_.assets.size());
    known.key = in_.hash();
    const unsigned flags = in_.u8();
    if (flags > kKnownFlags) in_.fail();
    known.facts.is_packable = (flags & kPackable) != 0;
    known.facts.has_fit_values = (flags & kFitValues) != 0;
    read_guids(known.facts.sources);
    read_guids(known.facts.scripts);
    known.facts.class_name = name();
    for (std::size_t i = 0; i < known.facts.stripped.size(); ++i) {
      if ((flags & (static_cast<unsigned>(kStripped) << i)) == 0) continue;
      read_stripped(known.facts.stripped[i].emplace());
    }
  }

  void read_stripped(StrippedFile& file) {
    file.rule = name();
    std::string last;
    for (std::size_t left = in_.count(3); left > 0 && !in_.failed(); --left) {
      std::string class_name = name();
      if (!file.components.empty() && class_name <= last) in_.fail();
      StrippedComponents& components = file.components[class_name];
      components.count = static_cast<std::size_t>(in_.varint());
      components.source_bytes = in_.varint();
      last = std::move(class_name);
    }
    std::pair<Guid, yaml::MentionKind> before{};
    for (std::size_t left = in_.count(3); left > 0 && !in_.failed(); --left) {
      std::pair<Guid, yaml::MentionKind> what;
      what.first = guid();
      what.second = kind();
      if (!file.counts.empty() && what <= before) in_.fail();
      file.counts[what] = times();
      before = what;
    }
  }

  StateReader& in_;
  BuildState& state_;
  std::vector<Guid> guids_;
  std::vector<std::string> names_;
};

}  // namespace

void write_facts(ByteWriter& out, const BuildState& state) { FactsWriter(out, state).write(); }

void read_facts(StateReader& in, BuildState& state) { FactsReader(in, state).read(); }

}  // namespace muster
