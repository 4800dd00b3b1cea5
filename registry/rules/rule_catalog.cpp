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
         "to Force Text and save the asset again. For binary assets that no registry needs the "
         "finding is only a note, and so it is for the kinds that always have this form (lighting, "
         "terrain, navigation)."},
    Rule{"breaking-component", error, "A component differs from that of shipped games",
         "A client and a server of different builds would misread each other's values (or refuse "
         "each other). Restore the field and add a new one beside it, or ship both sides at once. "
         "Additions break nothing. Found with '--against'."},
    Rule{"breaking-removed", error, "A shipped type id no longer has a meaning",
         "Shipped games may still use it. Restore the entry, or ship client and server at once. "
         "Found with '--against'."},
    Rule{"breaking-renumbered", error, "An asset has another type id than in shipped games",
         "A shipped client would create another asset, or none. Restore the old id: the 'type_id' "
         "of the entry, or its line in the lock beside the registry. Found with '--against'."},
    Rule{"breaking-reused", error, "A type id means another asset than in shipped games",
         "A shipped client would create the old asset. Give the new asset an unused id ('muster "
         "prepare' does), and leave the old one retired. Found with '--against'."},
    Rule{"breaking-sides", error, "Client and server no longer have the same type ids",
         "In shipped games both sides have them; now one side would receive ids that it does not "
         "have. List the asset for both sides again. Found with '--against'."},
    Rule{"budget-exceeded", error, "A part of the build is larger than its budget",
         "'budgets' in 'muster.yaml' limits the bytes of a target, a bundle or a kind of asset. "
         "'muster why' shows what needs an asset, 'muster diff' what was added since an earlier "
         "build. Reduce the size, or raise the budget. Found by 'muster build', and by 'muster "
         "validate --build'."},
    Rule{"case-clash", error, "Two paths differ only in case, or in the composition of letters",
         "On Windows and macOS these are one file: the last one that is checked out replaces the "
         "other. Letters such as \xC3\xA9 and Hangul or Kana syllables can be one character (NFC) "
         "or several (NFD), and look the same. Rename one."},
    Rule{"client-only-in-server", warning,
         "A server bundle reaches content that is for clients only",
         "The server would load and ship presentation. Break the strong reference at one link of "
         "the chain, for example with a weak reference or a separate presentation."},
    Rule{"cut-short", error, "A prefab refers to objects of its own that are missing",
         "The file was truncated, or a merge lost a part of it. Restore it; until then 'muster "
         "prepare' keeps its entry."},
    Rule{"duplicate-entry", error, "One asset is registered twice in a registry",
         "It would have two type ids, or an effect two prefabs (its own and its definition's). "
         "Remove one of them."},
    Rule{"duplicate-file-id", warning, "A file has two objects with one id",
         "A merge left both. References lead to the first one; remove the wrong one."},
    Rule{"duplicate-guid", error, "Two assets have the same guid",
         "References lead to an arbitrary one of them. Delete one sidecar and let the editor "
         "create a new one, then fix the references to that asset."},
    Rule{"file-too-large", warning, "A text file is too large to be read",
         "Its references are not read. Split the file, or store its bulk in a binary asset."},
    Rule{"folder-reference", error, "A built asset refers to a folder",
         "A folder has no content of its own, so nothing would reach the game. A sprite atlas "
         "means the pictures in the folder, which are packed. Other assets must refer to the files "
         "themselves; otherwise clear the reference."},
    Rule{"invalid-utf8", warning, "A text file contains invalid UTF-8",
         "Its texts would be wrong. Save it as UTF-8, or restore it."},
    Rule{"lfs-pointer", error, "A file is a Git LFS pointer instead of its content",
         "Run 'git lfs pull' (and 'git lfs install' once on this machine)."},
    Rule{"link-outside", warning,
         "A symbolic link leaves the project, has no target or forms a circle",
         "It is not followed. Put the content inside the project or remove the link."},
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
         "A type id is a number from 0 to 65534. Restore the number from the last version that had "
         "one; a new entry needs none ('muster prepare' assigns it)."},
    Rule{"merge-conflict", error, "A sidecar or asset contains merge conflict markers",
         "Resolve the conflict; of two guids keep the one to which other assets refer."},
    Rule{"missing-component", error,
         "The root of a registered prefab does not have the required component",
         "Add the component to the root of the prefab (or of its base), or remove the entry with "
         "'muster prepare'."},
    Rule{"missing-dictionaries", warning,
         "The folder for the project's dictionaries does not exist",
         "Builds pack without dictionaries. Let 'muster train' create them and commit the files; "
         "or correct 'dictionaries' under 'compression' in muster.yaml, or remove it: then builds "
         "train their own."},
    Rule{"missing-entries", error, "A root or registry does not have the list of its class",
         "It has no entries. If that is intended, add an empty list. Otherwise correct the key, or "
         "'entries' of the class in muster.yaml."},
    Rule{"missing-meta", warning, "An asset has no sidecar",
         "Nothing can refer to it, and each machine will create another guid. Open the project in "
         "the editor once and commit the .meta file."},
    Rule{"missing-owner", warning, "An entry has no owner",
         "Entries of this class are found by their owner, so this one cannot be found. Set its "
         "owner, or remove it."},
    Rule{"namesake-class", note, "An asset's class only has the name of a registry class",
         "It has none of the fields of such a root or registry, so it counts as a class of the "
         "game and is ignored. If it is one, list it in a root, or declare its class under "
         "'classes' in muster.yaml."},
    Rule{"namesake-script", note, "Two scripts have the name of one class that registries need",
         "Both count as the class, in any namespace. If one of them is another class, rename it."},
    Rule{"null-registry", error, "A root lists an empty registry slot",
         "Remove the slot, or put the registry back."},
    Rule{"orphan-lock", warning, "A lock of type ids belongs to no registry",
         "The registry was deleted, or it was renamed or moved before its lock contained its guid; "
         "then the next 'muster prepare' loses its ids. Rename the lock to match the registry "
         "('.<registry>.ids.yaml' beside it), or remove it."},
    Rule{"orphan-meta", warning, "A sidecar has no asset",
         "The asset was moved or deleted without it (or is an empty folder, which Git does not "
         "store). Remove the sidecar, or restore the asset."},
    Rule{"outdated-entry", warning, "An entry differs from its prefab",
         "The registry has copies of the prefab's values, which are out of date. Run 'muster "
         "prepare'."},
    Rule{"own-guid-mismatch", error, "A stored own guid is not the asset's guid",
         "The asset was copied, or its sidecar was recreated. Run 'muster prepare', which writes "
         "the guid into registered assets, or let the editor's prepare step write it."},
    Rule{"package-reference", note, "An asset refers to a package that is not in the project",
         "Assets of a package outside the project are not packed; its code never is. Embed the "
         "package (copy it into 'Packages', or name its folder under 'folders' in muster.yaml) if "
         "a game needs the content from its bundles. It is a warning if neither manifest nor lock "
         "names the package, or if a local package is missing."},
    Rule{"placeholder-guid", warning, "A guid looks invented, not random",
         "Guids are random so that no two projects share one; invented ones (ramps, counters, "
         "repeats) collide. Delete the sidecar and let the editor create a new one, then fix the "
         "references."},
    Rule{"prefab-cycle", error, "Prefabs contain each other",
         "A prefab cannot be inside itself. Remove one nested instance of the chain."},
    Rule{"prefab-without-root", error, "A built prefab has no object",
         "The file was truncated, or its base is missing. Restore it, or remove the prefab from "
         "the registry."},
    Rule{"prefab-xor-factory", error, "An entry has both or neither of prefab and factory",
         "An entity comes from a prefab or from a factory. Set exactly one; an entry without "
         "either and without a guid is a free slot and only a note."},
    Rule{"presentation-key-collision", error, "Two presentations have the same key",
         "The combination of owner, platform flags, type and variation must be unique. Change one "
         "of them in one of the presentations."},
    Rule{"presentation-key-range", error, "A number of a presentation's key is out of range",
         "Platform flags and variation are numbers from 0 to 65535, the type up to 4294967295; "
         "platform flags of -1 mean all platforms. Correct it in the presentation."},
    Rule{"presentation-named", note,
         "A registry names presentation that builds for this target leave out",
         "Servers need no textures, sounds and similar assets: 'strip' in muster.yaml leaves them "
         "out, except for assets that a registry names. List it only for clients, or name it under "
         "'keep' if it is intended. 'muster audit' lists the remaining presentation."},
    Rule{"provider-collision", error, "Two definitions have one prefab",
         "In this layout a definition's prefabs share the definition's type id, so a prefab of two "
         "definitions would have two ids. Give one of them a separate prefab, for example a "
         "variant; until then 'muster prepare' registers only the first."},
    Rule{"registry-id-mismatch", error, "A stored registry id is not the entry's id",
         "The asset stores another type id than the registry assigns. Correct the stored number, "
         "or register the asset again; 'muster prepare' writes numbers that are not assigned yet."},
    Rule{"repeated-registry", warning, "A root lists one registry twice",
         "It is built once. Remove the second one, or restore the registry that it replaced."},
    Rule{"target-without-root", warning, "There are roots, but none for the client or the server",
         "That side would be built without content. Add a root for it (its 'serverBuild' sets the "
         "side), or build only the other side with '--target'."},
    Rule{"text-encoding", error, "A text file has an unsupported encoding or unsupported line ends",
         "Text is UTF-8, with LF or CR LF as line ends, and without zero bytes. Save the file in "
         "this form, or restore it: a crash can leave zero bytes. It is a warning if no registry "
         "needs the file."},
    Rule{"too-many-entries", error, "A registry has more entries than there are type ids",
         "A type id has 16 bits on the wire, so a class has at most 65,535 of them. Split the "
         "class, or declare it with 'ids: false' if its entries are found by guid."},
    Rule{"type-id-collision", error, "Two entries have one type id",
         "A type id must mean one asset, and be at most 65534 to fit the wire. Remove the number "
         "of the newer entry: its 'type_id', or its line in the lock (the hidden '.ids.yaml' file "
         "beside the registry). Then 'muster prepare' assigns an unused number."},
    Rule{"type-id-disagreement", error, "Client and server give one asset different type ids",
         "The server would announce one entity and the client create another. Bring the registries "
         "of both sides into the same order (or give the entry the same 'type_id', or the same "
         "line in both locks). Until then 'muster prepare' changes nothing in the class."},
    Rule{"type-id-reused", error, "An entry uses a type id that was retired",
         "Shipped clients still use the old meaning. Give the entry a new id."},
    Rule{"undescribed-component", note, "The game describes no component with this name",
         "It is packed unchanged, for an engine that knows it; the game's code does not receive "
         "it. If the game needs it, describe it and export the game's components again. If it is "
         "only presentation, list it under 'strip' in muster.yaml."},
    Rule{"unfit-value", error, "A value does not fit the field of its component",
         "The game describes the allowed values of each field (components.json), an entity has one "
         "component of each type, and a build would refuse this value. Correct it, or export the "
         "game's components again."},
    Rule{"unknown-class", warning, "A plain file has a class whose name looks mistyped",
         "A registry, root or prefab with an unknown class is ignored. Correct the name, or "
         "declare the class under 'classes' in muster.yaml."},
    Rule{"unknown-component", warning,
         "A plain prefab or factory has a component whose name looks mistyped",
         "The component does not reach the game. Correct the name."},
    Rule{"unknown-field", warning, "A plain file or a sidecar has a key that is not read",
         "The value has no effect. Correct the name. For a component's field you can also export "
         "the game's components again; for a key that the game itself reads from a registry, list "
         "it under 'fields' of the class in muster.yaml. It is an error where a default would "
         "silently be used instead: a type id, a retired id, a pool size, the side of a root."},
    Rule{"unknown-registry", warning, "A root or registry has an unknown class",
         "Its entries are not read. Declare the class under 'classes' in muster.yaml (by 'script: "
         "GUID' if the script is in no folder of the project), or restore its script with its "
         "sidecar. It is an error if no class can be found at all."},
    Rule{"unlisted-registry", warning, "No root lists a registry",
         "Its entries are not built. Add it to the client or server root, or remove it."},
    Rule{"unmatched-budget", error, "A budget in muster.yaml matches no file",
         "It limits nothing. Paths begin at the project's folder; '*' matches any text within a "
         "folder, '**' any folders. Correct 'bundle' or 'kind', or remove the budget."},
    Rule{"unmatched-keep", error, "A path under 'keep' of 'strip' in muster.yaml matches no file",
         "The assets that it should keep are left out. Paths begin at the project's folder; '*' "
         "matches any text within a folder, '**' any folders. Correct the path under 'keep', or "
         "remove it."},
    Rule{"unmatched-path", error, "A path in muster.yaml matches nothing",
         "The assets that it should find are missed. Correct 'path' under 'references' of the "
         "class, or the pattern under 'rules'."},
    Rule{"unportable-name", warning, "Another operating system does not allow a name",
         "Git on Windows refuses to check out such a file ('invalid path') or omits it, and macOS "
         "requires names in UTF-8. Rename it."},
    Rule{"unreadable-components", error, "The game's component descriptions cannot be read",
         "Let the game export them again, or correct 'components' in muster.yaml."},
    Rule{"unreadable-file", error, "The operating system refused to read a file or folder",
         "Check its permissions."},
    Rule{"unregistered-prefab", warning, "An asset that belongs in a registry is not in it",
         "It has no type id and gets no bundle. Run 'muster prepare', or remove the component."},
    Rule{"unresolved-reference", warning, "A reference leads to no asset in the project",
         "The asset was deleted, or is in a package that is neither in the project, nor in "
         "'Library/PackageCache', nor a common public one. Restore it, or list its guid under "
         "external_guids in muster.yaml. If the object is missing in the file itself, select "
         "another one."},
    Rule{"unset-own-guid", warning, "An asset that stores its own guid has not set it yet",
         "The build uses the guid in the registry, but other code may read the asset's. Run "
         "'muster prepare', which writes it into registered assets."},
    Rule{"unusable-dictionary", error, "A committed dictionary cannot be used",
         "A build would refuse it. Restore the committed file, or let 'muster train --force' "
         "replace or remove it."},
    Rule{"unused-override", warning, "An override of a prefab's instance has no effect",
         "Its target is not an object of the instance's prefab: the source was replaced, or has "
         "lost the object. The value is not applied, and the assets to which the override refers "
         "are not packed. In Unity choose 'Unused Overrides' of the instance to remove it, or make "
         "the change again. It is a note if the object of the override no longer exists."},
    Rule{"upper-case-guid", note, "A guid is in upper case",
         "It is accepted; the editor writes lower case."},
    Rule{"variant-flattened", warning,
         "A prefab contains another one whose variants the game chooses",
         "Nested prefabs become part of the prefab that contains them when it is built, so the "
         "game's choice does not affect them. Vary the outer prefab instead, refer to the inner "
         "one without nesting it, or choose the axis at build time ('choose: build')."},
    Rule{"variant-impossible", error, "A file has the name of a variant, but its base cannot vary",
         "Folders, code, registries and their roots are the same in all builds. Rename the file, "
         "or vary the assets that the registry names."},
    Rule{"variant-other-kind", error, "A variant is another kind of asset than its base",
         "A game that requests a part of the asset must find it in every variant: a variant has "
         "the extension and the class of its base, and is a prefab if the base is one. Convert it, "
         "or rename it."},
    Rule{"variant-other-wire", error, "A variant is not replicated like its base",
         "A server and its clients may choose different variants of one asset, and components are "
         "identified by the index of their entity. So all variants need the same replicated "
         "components, on entities with the same indices, and the same file ids of entities in a "
         "level, because their network ids depend on these. Values and components that are not "
         "replicated may differ. Add the missing parts, and put entities of a single variant after "
         "all others."},
    Rule{"variant-referenced", error, "An asset refers to a variant by its own guid",
         "A variant is packed under the guid of its base, which means the chosen variant. Refer to "
         "the base."},
    Rule{"variant-repeated", error, "Two files are variants of one asset for the same values",
         "The order of keys does not matter: 'a@low,de.png' and 'a@de,low.png' are the same. "
         "Remove one of them."},
    Rule{"variant-unknown-key", error, "The name of a variant contains an undeclared value",
         "After the '@' come values of the axes that 'variants' in muster.yaml declares, separated "
         "by commas, each axis at most once. Correct the name, or declare the value."},
    Rule{"variant-unknown-word", warning,
         "A file's name has an '@' and a word that is not a declared value",
         "It is not packed as a variant of the file beside it. If it is a variant, correct the "
         "word or declare it under 'variants' in muster.yaml; otherwise rename it or accept the "
         "finding in a baseline."},
    Rule{"variant-without-base", error, "A variant has no base",
         "'crate@low.png' needs a 'crate.png' in its folder, which is used when no variant fits. "
         "Add it, or rename the file."},
    Rule{"wire-limit", error, "A replicated prefab exceeds a limit of the wire format",
         "A game would find this only when it runs. A type has at most 1,024 values, a component "
         "256 "
         "fields, a game 2,048 types, 1,024 different components and 6,000 values; components of "
         "game objects beyond the 255th are not replicated. Remove components or fields that no "
         "client needs, shorten lists and texts, or split the prefab. It is a note for a message "
         "that has more than 256 bytes: it cannot be sent at a tick."},
    Rule{
        "wrong-shape", error, "A value in a plain file has the wrong form",
        "A list instead of one value, a weak reference instead of a strong one, a second document, "
        "a component outside its list: such a value would be misread. content/arena/README.md "
        "describes the form of plain files; 'muster schema content' lets an editor check it."},
    Rule{"wrong-target", error, "A registry refers to an object of the wrong kind",
         "The asset exists, but does not fit: the file does not have the object, is no prefab or "
         "no asset of the class, or is outside the project. Refer to the right one."},
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

std::vector<Finding> Findings::take_sorted() {
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
