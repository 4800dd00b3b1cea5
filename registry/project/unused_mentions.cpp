// Most of a level's text is prefab instances, and nearly all overrides have an effect. So the guids
// that the scanner has found are compared first. A document is parsed only if the guid of a target
// differs from the guid of the instance's source, or if the document does not have the editor's
// style.
#include "registry/project/unused_mentions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "registry/yaml/reader.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::Mention;
using yaml::NodeIndex;

constexpr std::string_view kInstanceHead = "--- !u!1001 &";

// The key whose value in braces contains a guid. The result is empty if the text does not have the
// editor's style. The opening brace is in the line of the key.
std::string_view key_before(std::string_view text, std::size_t guid) {
  constexpr std::size_t kReferenceBytesMax = 128;
  const std::size_t from = guid - std::min(guid, kReferenceBytesMax);
  std::string_view before = text.substr(from, guid - from);
  const std::size_t brace = before.rfind('{');
  if (brace == before.npos || before.find('}', brace) != before.npos) return {};
  before = before.substr(0, brace);
  before = before.substr(before.rfind('\n') + 1);
  const std::size_t end = before.find_last_not_of(' ');
  if (end == before.npos || before[end] != ':') return {};
  before = before.substr(0, end);
  return before.substr(before.find_last_of(" -") + 1);
}

class Instance {
 public:
  /// `text` is one document, and `offset` its offset in the file.
  Instance(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  /// Whether the targets of all overrides are objects of the source. `mentions` are the mentions in
  /// the document.
  bool is_surely_used(std::span<const Mention> mentions) const {
    Guid source;
    std::set<Guid> targets;
    for (const Mention& mention : mentions) {
      const std::string_view key = key_before(text_, mention.offset_bytes - offset_);
      if (key == "m_SourcePrefab") {
        source = mention.guid;
      } else if (key == "target") {
        targets.insert(mention.guid);
      } else if (key != "objectReference") {
        return false;
      }
    }
    return text_.find("target: {fileID: 0}") == text_.npos &&
           std::ranges::all_of(targets, [&](const Guid& target) { return target == source; });
  }

  /// Adds the offsets of the guids in overrides without effect. Returns the number of these
  /// overrides.
  std::size_t collect(std::set<std::size_t>& offsets) {
    const auto read = yaml::read_unity(text_);
    if (!read.good() || read.tree().documents.empty()) return 0;
    const yaml::Tree& tree = read.tree();
    const NodeIndex root = tree.documents.front().root;
    if (root == kNoNode || tree.at(root).first_child == kNoNode) return 0;
    const NodeIndex fields = tree.at(root).first_child;
    const auto source = reference_at(tree, tree.find(fields, "m_SourcePrefab"));
    if (!source || source.value().guid.is_null()) return 0;
    const NodeIndex modification = tree.find(fields, "m_Modification");
    std::size_t unused = 0;
    for (const NodeIndex item : Children(tree, tree.find(modification, "m_Modifications"))) {
      const NodeIndex target = tree.find(item, "target");
      if (!is_of_other(tree, target, source.value().guid)) continue;
      ++unused;
      add(tree, target, offsets);
      add(tree, tree.find(item, "objectReference"), offsets);
    }
    for (const std::string_view list : {"m_AddedComponents", "m_AddedGameObjects"}) {
      for (const NodeIndex item : Children(tree, tree.find(modification, list))) {
        const NodeIndex target = tree.find(item, "targetCorrespondingSourceObject");
        if (!is_of_other(tree, target, source.value().guid)) continue;
        ++unused;
        add(tree, target, offsets);
      }
    }
    for (const std::string_view list : {"m_RemovedComponents", "m_RemovedGameObjects"}) {
      for (const NodeIndex item : Children(tree, tree.find(modification, list))) {
        if (is_of_other(tree, item, source.value().guid)) add(tree, item, offsets);
      }
    }
    return unused;
  }

 private:
  static bool is_of_other(const yaml::Tree& tree, NodeIndex target, const Guid& source) {
    const auto reference = reference_at(tree, target);
    if (!reference) return false;
    const Guid& guid = reference.value().guid;
    return reference.value().file_id == 0 || (!guid.is_null() && guid != source);
  }

  void add(const yaml::Tree& tree, NodeIndex reference, std::set<std::size_t>& offsets) const {
    const std::string_view guid = tree.scalar_at(reference, "guid");
    const bool is_in_text =
        guid.data() >= text_.data() && guid.data() < text_.data() + text_.size();
    if (!guid.empty() && is_in_text) {
      offsets.insert(offset_ + static_cast<std::size_t>(guid.data() - text_.data()));
    }
  }

  std::string_view text_;
  std::size_t offset_;
};

// The number after a key in the editor's style. For example, `&123` or `m_PrefabInstance: {fileID:
// 123}`.
std::int64_t number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::int64_t value = 0;
  if (at != text.npos) {
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  }
  return value;
}

// Adds the offsets of guids in placeholders whose object is not in the instance's source. Such a
// placeholder has no effect.
void collect_stand_ins(std::string_view text, const std::map<std::int64_t, Guid>& sources,
                       const std::vector<Mention>& mentions, std::set<std::size_t>& offsets) {
  constexpr std::string_view kStripped = " stripped";
  for (std::size_t at = text.find(kStripped); at != text.npos;
       at = text.find(kStripped, at + kStripped.size())) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // This is 0 on the first line.
    if (!text.substr(begin).starts_with("--- !u!")) continue;
    const std::size_t end = std::min(text.find("\n--- ", at), text.size());
    const std::string_view document = text.substr(begin, end - begin);
    const auto source = sources.find(number_behind(document, "m_PrefabInstance: {fileID: "));
    if (source == sources.end()) continue;
    for (auto mention = std::ranges::lower_bound(mentions, begin, {}, &Mention::offset_bytes);
         mention != mentions.end() && mention->offset_bytes < end; ++mention) {
      const std::string_view key = key_before(text, mention->offset_bytes);
      if (key == "m_CorrespondingSourceObject" && mention->guid != source->second) {
        offsets.insert(mention->offset_bytes);
      }
    }
  }
}

}  // namespace

std::size_t remove_unused_mentions(std::string_view text, std::vector<Mention>& mentions) {
  std::set<std::size_t> offsets;
  std::map<std::int64_t, Guid> sources;
  std::size_t unused = 0;
  for (std::size_t at = text.find(kInstanceHead); at != text.npos;
       at = text.find(kInstanceHead, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::size_t next = text.find("\n--- ", at);
    const std::size_t end = next == text.npos ? text.size() : next + 1;
    const auto first = std::ranges::lower_bound(mentions, at, {}, &Mention::offset_bytes);
    const auto last = std::ranges::lower_bound(mentions, end, {}, &Mention::offset_bytes);
    if (first == last) continue;
    Instance instance(text.substr(at, end - at), at);
    for (auto mention = first; mention != last; ++mention) {
      if (key_before(text, mention->offset_bytes) != "m_SourcePrefab") continue;
      sources.emplace(number_behind(text.substr(at, end - at), "&"), mention->guid);
    }
    if (!instance.is_surely_used({first, last})) unused += instance.collect(offsets);
  }
  collect_stand_ins(text, sources, mentions, offsets);
  if (!offsets.empty()) {
    std::erase_if(mentions,
                  [&](const Mention& mention) { return offsets.contains(mention.offset_bytes); });
  }
  return unused;
}

}  // namespace muster
