#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>

#include "registry/rules/finding.h"

namespace muster {
namespace {

using enum Severity;

constexpr std::array kRules = {
    Rule{"bad-pool-size", error, "An effect's pool size is not a number from 1 to 1024",
         "A pool without instances cannot play anything, and the game refuses larger ones. Set "
         "poolSize to a number from 1 to 1024 (usually 16)."},
    Rule{"binary-asset", error, "A file is in the engine's binary form, but text is needed",
         "Muster reads text. In Unity set Edit > Project Settings > Editor > Asset Serialization "
         "to Force Text and save the asset again. The finding is only a note if no registry needs "
         "the asset, or if Unity always stores this kind of asset in binary form (lighting, "
         "terrain, navigation)."},
    Rule{"breaking-component", error,
         "A component differs from the same component of shipped games",
         "A client and a server of different builds would read wrong values, or could not connect. "
         "Restore the field and add a new field beside it, or ship client and server at the same "
         "time. Additions break nothing. Found with '--against'."},
    Rule{"breaking-removed", error, "A shipped type id no longer has a meaning",
         "Shipped games may still use this id. Restore the entry, or ship client and server at the "
         "same time. Found with '--against'."},
    Rule{"breaking-renumbered", error, "An asset has another type id than in shipped games",
         "A shipped client would create another asset or no asset. Restore the old id: the "
         "'type_id' of the entry, or its line in the lock beside the registry. Found with "
         "'--against'."},
    Rule{"breaking-reused", error, "A type id means another asset than in shipped games",
         "A shipped client would create the old asset. Give the new asset an unused id ('muster "
         "prepare' does this), and keep the old id retired. Found with '--against'."},
    Rule{"breaking-sides", error, "Client and server no longer have the same type ids",
         "In shipped games both sides have these ids. Now one side would receive ids that it does "
         "not have. List the asset for both sides again. Found with '--against'."},
    Rule{"budget-exceeded", error, "A part of the build is larger than its budget",
         "'budgets' in 'muster.yaml' limits the bytes of a target, a bundle or a kind of asset. "
         "'muster why' shows why an asset is in the build, and 'muster diff' shows the changes "
         "since an earlier build. Reduce the size, or raise the budget. 'muster build' and 'muster "
         "validate --build' report this."},
    Rule{"case-clash", error, "Two paths differ only in case or in Unicode composition",
         "On Windows and macOS both paths are the same file, so a checkout keeps only one of the "
         "two files. Letters such as \xC3\xA9 and Hangul or Kana syllables can be one character "
         "(NFC) or several (NFD), and look the same. Rename one."},
    Rule{"client-only-in-server", warning,
         "A server bundle reaches content that is for clients only",
         "Server builds would contain and load presentation. Break the strong reference at one "
         "link of the chain, for example with a weak reference or a separate presentation."},
    Rule{"cut-short", error, "A prefab refers to its own objects that are missing",
         "The file was truncated, or a merge removed a part of the file. Restore the file. Until "
         "then 'muster prepare' keeps the prefab's entry."},
    Rule{"duplicate-entry", error, "One asset is registered twice in a registry",
         "The asset would have two type ids, or an effect would have two prefabs (in its entry and "
         "in its definition). Remove one of the two entries or prefabs."},
    Rule{"duplicate-file-id", warning, "A file has two objects with one id",
         "A merge has kept both objects. References lead to the first object. Remove the wrong "
         "object."},
    Rule{"duplicate-guid", error, "Two assets have the same guid",
         "References lead to an arbitrary one of them. Delete one sidecar and let the editor "
         "create a new one, then fix the references to that asset."},
    Rule{"file-too-large", warning, "A text file is too large to be read",
         "Its references are not read. Split the file, or store its bulk in a binary asset."},
    Rule{"folder-reference", error, "A built asset refers to a folder",
         "A folder has no content of its own, so nothing would reach the game. Only a sprite atlas "
         "may refer to a folder: it packs the pictures in the folder. In other assets, refer to "
         "the files themselves, or clear the reference."},
    Rule{"invalid-utf8", warning, "A text file contains invalid UTF-8",
         "The texts in the file would be wrong. Save the file as UTF-8, or restore it."},
    Rule{"lfs-pointer", error, "A file is a Git LFS pointer instead of its content",
         "Run 'git lfs pull' (and 'git lfs install' once on this machine)."},
    Rule{"link-outside", warning,
         "A symbolic link leads out of the project, has no target or forms a cycle",
         "The link is not followed. Move the content into the project, or remove the link."},
    Rule{"malformed-entry", error, "An entry of a registry does not name an asset",
         "An entry is a mapping or a reference to a definition, and its class defines the keys "
         "that name assets. Correct the key or the definition, or remove the entry. An entry with "
         "an unset reference does not block a build, and a free slot that keeps its id is only a "
         "note."},
    Rule{"malformed-flag", error, "A root's or registry's flag is neither true nor false",
         "The side is unknown. Write 0 or false for the client, 1 or true for the server."},
    Rule{"malformed-guid", error, "A sidecar or reference has no usable guid",
         "A guid is 32 hex digits. Restore the sidecar, or delete it and let the editor create a "
         "new one; in a reference, select the asset again."},
    Rule{"malformed-type-id", error, "A type id is not a number that fits the wire",
         "A type id is a number from 0 to 65534. Restore the number from an earlier version of the "
         "file. A new entry needs no number, because 'muster prepare' assigns one."},
    Rule{
        "merge-conflict", error, "A sidecar or asset contains merge conflict markers",
        "Resolve the conflict. If there are two guids, keep the guid to which other assets refer."},
    Rule{"missing-component", error,
         "The root of a registered prefab does not have the required component",
         "Add the component to the root of the prefab (or of its base), or remove the entry with "
         "'muster prepare'."},
    Rule{"missing-dictionaries", warning,
         "The folder for the project's dictionaries does not exist",
         "Builds pack without dictionaries. Run 'muster train' to create the dictionaries, and "
         "commit the files. Or correct 'dictionaries' under 'compression' in muster.yaml. Or "
         "remove the key; then each build trains dictionaries."},
    Rule{"missing-entries", error, "A root or registry does not have the list of its class",
         "So it has no entries. If this is intended, add an empty list. Otherwise correct the key, "
         "or 'entries' of the class in muster.yaml."},
    Rule{"missing-meta", warning, "An asset has no sidecar",
         "No other asset can refer to this asset, and each machine would create a different guid. "
         "Open the project in the editor, or run 'muster validate --fix', and commit the .meta "
         "file. The finding is an error if no file of the project has a sidecar."},
    Rule{"missing-owner", warning, "An entry has no owner",
         "Games find entries of this class by their owner, so this entry cannot be found. Set the "
         "owner of the entry, or remove the entry."},
    Rule{"namesake-class", note,
         "An asset's class has the name of a registry class, but is a different class",
         "The asset has none of the fields of such a root or registry, so it is ignored. If the "
         "asset is a registry, list it in a root, or declare its class under 'classes' in "
         "muster.yaml."},
    Rule{"namesake-script", note,
         "Two scripts have the same name, which is the name of a class that registries need",
         "Muster treats both scripts as this class, in any namespace. If one of the scripts has "
         "another class, rename the script."},
    Rule{"null-registry", error, "A root lists an empty registry slot",
         "Remove the slot, or put the registry back."},
    Rule{"orphan-lock", warning, "A lock of type ids belongs to no registry",
         "The registry was deleted, or it was renamed or moved before the lock contained its guid. "
         "In the second case the next 'muster prepare' would lose the ids of the registry. Rename "
         "the lock to '.<registry>.ids.yaml' in the registry's folder. If the registry was "
         "deleted, remove the lock."},
    Rule{"orphan-meta", warning, "A sidecar has no asset",
         "The asset was moved or deleted without its sidecar, or it is an empty folder, which Git "
         "does not store. Remove the sidecar, or restore the asset."},
    Rule{"outdated-entry", warning, "An entry differs from its prefab",
         "The registry has copies of the prefab's values, which are out of date. Run 'muster "
         "prepare'."},
    Rule{"own-guid-mismatch", error, "An asset stores a guid that is not its own guid",
         "The asset was copied, or its sidecar was recreated. Run 'muster prepare', which writes "
         "the guid into registered assets, or let the editor's prepare step write it."},
    Rule{"package-reference", note, "An asset refers to a package that is not in the project",
         "Assets of a package outside the project are not packed. If a game needs these assets, "
         "copy the package into 'Packages', or name its folder under 'folders' in muster.yaml. The "
         "finding is a warning if neither manifest nor lock names the package, or if a local "
         "package is missing."},
    Rule{"placeholder-guid", warning, "A guid does not look random",
         "Guids must be random, so that two projects never use the same guid. Guids that are "
         "invented (for example, with counting or repeated digits) can collide. Delete the sidecar "
         "and let the editor create a new one, then fix the references."},
    Rule{"prefab-cycle", error, "Prefabs contain each other",
         "A prefab cannot be inside itself. Remove one of the nested instances."},
    Rule{"prefab-without-root", error, "A built prefab has no object",
         "The file was truncated, or its base is missing. Restore it, or remove the prefab from "
         "the registry."},
    Rule{"prefab-xor-factory", error, "An entry has both or neither of prefab and factory",
         "An entity comes from a prefab or from a factory. Set exactly one of them. An entry "
         "without prefab, factory and guid is a free slot, and the finding is only a note."},
    Rule{"presentation-key-collision", error, "Two presentations have the same key",
         "The combination of owner, platform flags, type and variation must be unique. Change one "
         "of these values in one of the presentations."},
    Rule{"presentation-key-range", error, "A number of a presentation's key is out of range",
         "Platform flags and variation are numbers from 0 to 65535, the type up to 4294967295; "
         "platform flags of -1 mean all platforms. Correct the number in the presentation."},
    Rule{"presentation-named", note,
         "A registry names presentation that builds for this target leave out",
         "Servers need no textures, sounds and similar assets: 'strip' in muster.yaml leaves them "
         "out, except for assets that a registry names. List the asset only for clients. If the "
         "server needs the asset, name it under 'keep'. 'muster audit' lists the remaining "
         "presentation."},
    Rule{"provider-collision", error, "Two definitions have one prefab",
         "In this layout a definition's prefabs share the definition's type id, so a prefab of two "
         "definitions would have two ids. Give one of them a separate prefab, for example a "
         "variant; until then 'muster prepare' registers only the first."},
    Rule{"registry-id-mismatch", error, "A stored registry id is not the entry's id",
         "The asset stores another type id than the registry assigns. Correct the stored number, "
         "or register the asset again; 'muster prepare' writes numbers that are not assigned yet."},
    Rule{"repeated-registry", warning, "A root lists one registry twice",
         "The registry is built once. Remove the second item, or replace it by the registry that "
         "should be there."},
    Rule{"target-without-root", warning, "There are roots, but none for the client or the server",
         "This side would be built without content. Add a root for this side ('serverBuild' of a "
         "root sets the side), or build only the other side with '--target'."},
    Rule{"text-encoding", error, "A text file has an unsupported encoding or unsupported line ends",
         "Text is UTF-8, with LF or CR LF as line ends, and without zero bytes. Save the file in "
         "this form. If a crash has left zero bytes in the file, restore it. The finding is only a "
         "warning if no registry needs the file."},
    Rule{"too-many-entries", error, "A registry has more entries than there are type ids",
         "A type id has 16 bits on the wire, so a class has at most 65,535 of them. Split the "
         "class, or declare it with 'ids: false' if its entries are found by guid."},
    Rule{"type-id-collision", error, "Two entries have one type id",
         "A type id must mean one asset, and be at most 65534 to fit the wire. Remove the number "
         "of the newer entry: its 'type_id', or its line in the lock (the hidden '.ids.yaml' file "
         "beside the registry). Then 'muster prepare' assigns an unused number."},
    Rule{"type-id-disagreement", error, "Client and server give one asset different type ids",
         "The server would spawn one entity, and the client would create another. Sort the "
         "registries of both sides in the same order, or give the entry the same 'type_id' or the "
         "same line in both locks. Until then 'muster prepare' does not change the registries of "
         "the class."},
    Rule{"type-id-reused", error, "An entry uses a type id that was retired",
         "Shipped clients still use the old meaning. Give the entry a new id."},
    Rule{"undescribed-component", note, "The game describes no component with this name",
         "The component is packed unchanged, because the engine may know it. The game's code does "
         "not receive it. If the game needs the component, describe it in code, and export the "
         "game's components again. If the component is only presentation, list it under 'strip' in "
         "muster.yaml."},
    Rule{"unfit-value", error, "A value does not fit the field of its component",
         "The game's component descriptions (components.json) define the allowed values of each "
         "field. Also, an entity cannot have two components of one type. A build would refuse this "
         "value. Correct the value, or export the game's components again."},
    Rule{"unknown-class", error, "A plain file has an unknown class that looks like a registry's",
         "The name is similar to a known class, or ends with 'Registry'. A build ignores a file "
         "with an unknown class. Correct the name, or declare the class under 'classes' in "
         "muster.yaml."},
    Rule{"unknown-component", warning,
         "A plain prefab or factory has a component whose name looks mistyped",
         "The game would not receive the component. Correct the name."},
    Rule{"unknown-field", warning, "A plain file or a sidecar has a key that is not read",
         "The value has no effect. Correct the name. For a component's field you can also export "
         "the game's components again; for a key that the game itself reads from a registry, list "
         "it under 'fields' of the class in muster.yaml. The finding is an error if a default "
         "would silently be used instead: for a type id, a retired id, a pool size, and the side "
         "of a root."},
    Rule{"unknown-registry", warning, "A root or registry has an unknown class",
         "Its entries are not read. Declare the class under 'classes' in muster.yaml (by 'script: "
         "GUID' if the script is in no folder of the project), or restore its script with its "
         "sidecar. The finding is an error if the class cannot be determined."},
    Rule{"unlisted-registry", warning, "No root lists a registry",
         "The entries of the registry are not built. Add the registry to the client root or the "
         "server root, or remove it."},
    Rule{"unmatched-budget", error, "A budget in muster.yaml matches no file",
         "The budget has no effect. Paths begin at the project's folder; '*' matches any text "
         "within a folder, '**' any folders. Correct 'bundle' or 'kind', or remove the budget."},
    Rule{"unmatched-keep", error, "A path under 'keep' of 'strip' in muster.yaml matches no file",
         "The assets that the path should keep are left out. Paths begin at the project's folder; "
         "'*' matches any text within a folder, '**' any folders. Correct the path under 'keep', "
         "or remove it."},
    Rule{"unmatched-path", error, "A path in muster.yaml matches nothing",
         "The path has no effect, so assets may be missing. Correct 'path' under 'references' of "
         "the class, or the pattern under 'rules'."},
    Rule{"unportable-name", warning, "Another operating system does not allow a name",
         "Git on Windows cannot check out a file with such a name ('invalid path') or omits the "
         "file, and macOS requires names in UTF-8. Rename the file."},
    Rule{"unreadable-components", error, "The game's component descriptions cannot be read",
         "Export the game's components again, or correct 'components' in muster.yaml."},
    Rule{"unreadable-file", error, "The operating system refused to read a file or folder",
         "Check its permissions."},
    Rule{"unregistered-prefab", warning, "An asset that belongs in a registry is not listed there",
         "The asset has no type id and no bundle. Run 'muster prepare', or remove the component."},
    Rule{"unresolved-reference", warning, "A reference leads to no asset in the project",
         "The asset was deleted, or is in an unknown package: the package is not in the project, "
         "not in 'Library/PackageCache', and not a common public package. Restore the asset, or "
         "list its guid under external_guids in muster.yaml. If an object of the same file is "
         "missing, select another object."},
    Rule{"unset-own-guid", warning, "An asset that stores its own guid has not set it yet",
         "The build uses the guid of the asset, but other code may read the guid that the asset's "
         "file stores. Run 'muster prepare', which writes the guid into registered assets."},
    Rule{"unusable-dictionary", error, "A committed dictionary cannot be used",
         "A build would refuse the dictionary. Restore the committed file, or run 'muster train "
         "--force', which replaces or removes the file."},
    Rule{"unused-override", warning, "An override of a prefab's instance has no effect",
         "The target of the override is not an object of the instance's prefab. The prefab was "
         "replaced, or the object was removed from it. The value is not applied, and the assets to "
         "which the override refers are not packed. In Unity remove the override with 'Unused "
         "Overrides' of the instance, or make the change again. The finding is only a note if the "
         "object of the override no longer exists."},
    Rule{"upper-case-guid", note, "A guid is in upper case",
         "Muster accepts the guid, but the editor writes lower case."},
    Rule{"variant-flattened", warning,
         "A prefab nests another prefab whose variants the game chooses",
         "In a build, a nested prefab becomes part of the outer prefab, so the game's choice has "
         "no effect on it. Create variants of the outer prefab instead, or refer to the inner "
         "prefab without nesting it, or choose the axis at build time ('choose: build')."},
    Rule{"variant-impossible", error, "A file has the name of a variant, but its base cannot vary",
         "Folders, code, registries and their roots are the same in all builds. Rename the file, "
         "or create variants of the assets that the registry names."},
    Rule{"variant-other-kind", error, "A variant is another kind of asset than its base",
         "A game that requests a part of the asset must find this part in every variant. So a "
         "variant must have the extension and the class of its base, and must be a prefab if the "
         "base is a prefab. Convert the file, or rename it."},
    Rule{"variant-other-wire", error, "A variant is not replicated like its base",
         "A server and its clients may choose different variants of one asset, and components are "
         "identified by the index of their entity. So all variants need the same replicated "
         "components, on entities with the same indices, and the same file ids of entities in a "
         "level, because their network ids depend on these. Values and components that are not "
         "replicated may differ. Add the missing parts. If only one variant has an entity, put the "
         "entity after all other entities."},
    Rule{"variant-referenced", error, "An asset refers to a variant by its own guid",
         "In a build, all variants have the guid of their base. Refer to the base."},
    Rule{"variant-repeated", error, "Two files are variants of one asset with the same values",
         "The order of keys does not matter: 'a@low,de.png' and 'a@de,low.png' are the same. "
         "Remove one of the files."},
    Rule{"variant-unknown-key", error, "The name of a variant contains an undeclared value",
         "The text after '@' must be values of the axes that 'variants' in muster.yaml declares. "
         "The values are separated by commas, with at most one value for each axis. Correct the "
         "name, or declare the value."},
    Rule{"variant-unknown-word", warning,
         "A file's name has an '@' and a word that is not a declared value",
         "The file is not packed as a variant. If it is a variant, correct the word, or declare "
         "the word under 'variants' in muster.yaml. Otherwise rename the file, or accept the "
         "finding in a baseline."},
    Rule{"variant-without-base", error, "A variant has no base",
         "For example, 'crate@low.png' needs the base 'crate.png' in the same folder. A build uses "
         "the base if no variant fits. Add the base, or rename the file."},
    Rule{
        "wire-limit", error, "A replicated prefab exceeds a limit of the wire format",
        "The game would fail at run time. A type has at most 1,024 values, a component 256 fields, "
        "a game 2,048 types, 1,024 different components and 6,000 values; components of game "
        "objects beyond the 255th are not replicated. Remove components or fields that no client "
        "needs, shorten lists and texts, or split the prefab. The finding is a note for a message "
        "that has more than 256 bytes, because such a message cannot be sent as an event."},
    Rule{"wrong-shape", error, "A value in a plain file has the wrong form",
         "The value would be read wrongly. Examples are a list instead of a single value, a weak "
         "reference instead of a strong reference, a second document, and a component outside its "
         "list. content/arena/README.md describes the form of plain files; 'muster schema content' "
         "lets an editor check it."},
    Rule{"wrong-target", error, "A registry refers to an object of the wrong kind",
         "The asset exists, but the reference is not valid. The file does not contain the object, "
         "is not a prefab or an asset of the class, or is outside the project. Refer to the right "
         "object."},
    Rule{"yaml-syntax", error, "A file is not valid YAML",
         "Correct the line, or let the editor write the file again."},
};

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case note:
      return "note";
    case warning:
      return "warning";
    case error:
      return "error";
  }
  return "error";
}

std::span<const Rule> all_rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto* const found = std::ranges::lower_bound(kRules, id, {}, &Rule::id);
  return found != kRules.end() && found->id == id ? found : nullptr;
}

Finding& Findings::add(std::string_view rule, Location location, std::string message) {
  const Rule* known = find_rule(rule);
  assert(known != nullptr);
  Finding& finding = findings_.emplace_back();
  finding.rule = known->id;
  finding.severity = known->severity;
  finding.location = std::move(location);
  finding.message = std::move(message);
  return finding;
}

void Findings::append(Findings&& others) {
  std::ranges::move(others.findings_, std::back_inserter(findings_));
  others.findings_.clear();
}

std::vector<Finding> Findings::drain_sorted() {
  const auto key = [](const Finding& finding) {
    return std::tie(finding.location.path, finding.location.position, finding.rule,
                    finding.message);
  };
  std::ranges::stable_sort(findings_,
                           [&](const auto& a, const auto& b) { return key(a) < key(b); });
  // If two checks find the same problem, the more severe finding is kept.
  std::vector<Finding> kept;
  for (Finding& finding : findings_) {
    const bool again = !kept.empty() && kept.back().rule == finding.rule &&
                       kept.back().location.path == finding.location.path &&
                       kept.back().location.position == finding.location.position &&
                       (kept.back().severity != finding.severity ||
                        kept.back().blocks_build != finding.blocks_build ||
                        kept.back().message == finding.message);
    if (!again) {
      kept.push_back(std::move(finding));
    } else if (finding.severity > kept.back().severity || finding.blocks_build) {
      kept.back() = std::move(finding);
    }
  }
  findings_.clear();
  return kept;
}

}  // namespace muster
