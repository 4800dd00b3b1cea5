// The writer edits lines and does not know all spellings of YAML. So each new text is parsed and
// compared with the plan before it is written. Without this check an entry could be lost, and a
// later `prepare` could assign the entry's id to another asset.
#include "registry/model/written_check.h"

#include <algorithm>

#include "registry/model/path_query.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

// Every guid below a node, in order.
void collect_guids(const SourceNode& at, std::vector<Guid>& guids) {
  const auto reference = any_reference_at(at);
  if (reference) {
    if (!reference.value().guid.is_null()) guids.push_back(reference.value().guid);
    return;
  }
  for (const NodeIndex child : Children(at.source->tree, at.node)) {
    collect_guids({at.source, child}, guids);
  }
}

std::vector<Guid> guids_of(const SourceNode& at) {
  std::vector<Guid> guids;
  collect_guids(at, guids);
  return guids;
}

class WrittenCheck {
 public:
  WrittenCheck(const SourceFile& before, const Registry& registry, std::string_view text)
      : before_(before), registry_(registry) {
    after_.path = before.path;
    after_.dialect = yaml::detect_dialect(text);
    after_.main_id = before.main_id;
  }

  Result<void> run(const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                   std::string_view text) {
    auto read = yaml::read(text);
    if (!read.good()) {
      return refuse("line " + std::to_string(read.error().position.line) + ": " +
                    read.error().message);
    }
    after_.tree = std::move(read.tree());
    const yaml::Tree& tree = after_.tree;
    if (tree.documents.size() != before_.tree.documents.size()) return refuse("a document is lost");
    const NodeIndex fields = after_.fields_of(after_.document_of(0));
    NodeIndex list = kNoNode;
    for (const std::string& name : registry_.declaration->lists) {
      if (list == kNoNode) list = tree.find_path(fields, name);
    }
    std::vector<NodeIndex> items;
    for (const NodeIndex item : Children(tree, list)) items.push_back(item);
    if (items.size() != slots.size()) {
      return refuse(std::to_string(items.size()) + " entries instead of " +
                    std::to_string(slots.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!is_as_planned(slots[i], items[i], i)) {
        return refuse("entry " + std::to_string(i) + " is not what was planned");
      }
    }
    return before_.dialect == yaml::Dialect::plain ? check_retired(retired, fields)
                                                   : Result<void>();
  }

 private:
  tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(ErrorCode::malformed, before_.path.text() +
                                          ": the spelling of the file cannot be rewritten (" + why +
                                          "); nothing was written. Write the list as a block, with "
                                          "each entry on its own line, after a dash");
  }

  bool is_as_planned(const SlotText& slot, NodeIndex item, std::size_t index) const {
    const std::vector<Guid> guids = guids_of({&after_, item});
    if (slot.keeps_text) {
      const NodeIndex present = registry_.entries[*slot.present_slot].node;
      if (guids != guids_of({&before_, present})) return false;
    } else if (slot.values) {
      if (std::ranges::find(guids, slot.values->asset) == guids.end()) return false;
    } else if (!guids.empty()) {
      return false;
    }
    if (before_.dialect != yaml::Dialect::plain || !slot.type_id) return true;
    const NodeIndex id = after_.tree.find(item, "type_id");
    // The id of an entry without a `type_id` is its index.
    if (id == kNoNode && slot.present_slot) return *slot.present_slot == index;
    if (id == kNoNode) return slot.type_id->value() == index + registry_.declaration->first_id;
    const auto value = after_.tree.integer(id);
    return value && value.value() == slot.type_id->value();
  }

  Result<void> check_retired(const std::vector<TypeId>& retired, NodeIndex fields) const {
    std::vector<std::int64_t> written;
    for (const NodeIndex item : Children(after_.tree, after_.tree.find(fields, "retired"))) {
      if (const auto id = after_.tree.integer(item)) written.push_back(id.value());
    }
    for (const TypeId id : retired) {
      if (std::ranges::find(written, std::int64_t{id.value()}) == written.end()) {
        return refuse("retired id " + std::to_string(id.value()) + " is lost");
      }
    }
    return {};
  }

  const SourceFile& before_;
  const Registry& registry_;
  SourceFile after_;
};

}  // namespace

Result<void> check_written(const SourceFile& before, const Registry& registry,
                           const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                           std::string_view text) {
  return WrittenCheck(before, registry, text).run(slots, retired, text);
}

}  // namespace muster
