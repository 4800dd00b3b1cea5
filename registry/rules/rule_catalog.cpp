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
         "A pool of nothing can play nothing, and the game refuses larger ones. Give poolSize a "
         "number from 1 to 1024 (16 is usual)."},
    Rule{"binary-asset", error, "A file is in the engine's binary form where text is needed",
         "Muster reads text. In Unity set Edit > Project Settings > Editor > Asset "
         "Serialization to Force Text and save the asset again. Binary assets that no registry "
         "needs are only noted, and so are the kinds that always are of this form (lighting, "
         "terrain, navigation)."},
    Rule{"breaking-component", error, "A component is no longer what shipped games have",
         "A client and a server of different builds would read each other's values wrong (or "
         "refuse each other). Put the field back as it was and add a new one beside it, or ship "
         "both sides at once. What is added breaks nothing. Found with '--against'."},
    Rule{"breaking-removed", error, "A type id that has shipped means nothing any more",
         "Games that have shipped may still name it. Put the entry back, or ship client and "
         "server at once. Found with '--against'."},
    Rule{"breaking-renumbered", error, "An asset has another type id than in what has shipped",
         "A shipped client would take it for something else, or for nothing. Give it the old id "
         "again: its 'type_id', or its line in the lock beside the registry. Found with "
         "'--against'."},
    Rule{"breaking-reused", error, "A type id means another asset than in what has shipped",
         "A shipped client would create the old one. Give the new asset an id that nothing had "
         "('muster prepare' does), and leave the old one retired. Found with '--against'."},
    Rule{"breaking-sides", error, "Client and server no longer have the same type ids",
         "In what has shipped both sides knew them; now one would be told of what it does not "
         "have. List the asset for both sides again. Found with '--against'."},
    Rule{"budget-exceeded", error, "What was built is larger than it may be",
         "'muster.yaml' says under 'budgets' how many bytes a target, a bundle or a kind of asset "
         "may have. 'muster why' tells what needs an asset, 'muster diff' what came since an "
         "earlier build. Make it smaller, or raise the budget. Found by 'muster build', and by "
         "'muster validate --build'."},
    Rule{"case-clash", error, "Two paths differ only in case, or in how letters are composed",
         "On Windows and macOS these are one file: the one that is checked out last wins. Letters "
         "such as \xC3\xA9 and Hangul or Kana syllables can be one character (NFC) or several "
         "(NFD), and look the same. Rename one."},
    Rule{"client-only-in-server", warning,
         "A server bundle reaches content that is for clients only",
         "The server would load and ship presentation. Break the strong reference at one link "
         "of the chain, for example by a weak reference or a presentation of its own."},
    Rule{"cut-short", error, "A prefab names objects of its own that it does not have",
         "The file was cut short, or a merge lost a part of it. Restore it; until then 'muster "
         "prepare' keeps its entry."},
    Rule{"duplicate-entry", error, "One asset is registered twice in a registry",
         "It would have two type ids, or an effect two prefabs (its own and its definition's). "
         "Remove one of them."},
    Rule{"duplicate-file-id", warning, "A file has two objects with one id",
         "A merge left both. References lead to the first; remove the one that is wrong."},
    Rule{"duplicate-guid", error, "Two assets have the same guid",
         "References to it lead to one or the other by chance. Delete one sidecar and let the "
         "editor make a new one, then mend the references to that asset."},
    Rule{"file-too-large", warning, "A text file is too large to be read",
         "Its references are not seen. Split the file, or store its bulk in a binary asset."},
    Rule{"folder-reference", error, "Something that is built refers to a folder",
         "A folder has no content of its own, so that nothing would reach the game. A sprite atlas "
         "means the pictures in the folder, which are packed; for anything else refer to the files "
         "themselves, or clear the reference."},
    Rule{"invalid-utf8", warning, "A text file holds bytes that are no UTF-8",
         "Texts in it will not be what was meant. Save it as UTF-8, or restore it."},
    Rule{"lfs-pointer", error, "A file holds a Git LFS pointer instead of its content",
         "Run 'git lfs pull' (and 'git lfs install' once on this machine)."},
    Rule{"link-outside", warning,
         "A symbolic link leaves the project, leads nowhere or in a circle",
         "It is not followed. Put the content inside the project or remove the link."},
    Rule{"malformed-entry", error, "An entry of a registry names nothing that its class knows",
         "An entry is a mapping or a reference to a definition, and its class says under which "
         "keys it names assets. Correct the key or the definition, or remove the entry. One "
         "whose reference is there but not set does not block a build, and a free slot that "
         "keeps its id is only noted."},
    Rule{"malformed-flag", error, "A root's or registry's flag is neither true nor false",
         "Nobody can tell which side it is for. Write 0 or false for the client, 1 or true for "
         "the server."},
    Rule{"malformed-guid", error, "A sidecar or reference has no usable guid",
         "A guid is 32 hex digits. Restore the sidecar, or delete it and let the editor make a new "
         "one; in a reference, choose the asset again."},
    Rule{"malformed-type-id", error, "A type id is no number that fits the wire",
         "A type id is a number from 0 to 65534. Restore the number from the last version that "
         "had one; an entry that is new needs none ('muster prepare' gives it one)."},
    Rule{"merge-conflict", error, "A sidecar or asset contains merge conflict markers",
         "Resolve the conflict; of two guids keep the one that other assets refer to."},
    Rule{"missing-component", error, "A registered prefab's root lacks the component it needs",
         "Add the component to the root of the prefab (or of the prefab that it is a variant "
         "of), or remove the entry with 'muster prepare'."},
    Rule{"missing-dictionaries", warning, "The folder for the project's dictionaries is not there",
         "Builds pack without dictionaries. Let 'muster train' make them and commit what it "
         "writes; or correct 'dictionaries' under 'compression' in muster.yaml, or remove it: then "
         "builds train their own."},
    Rule{"missing-entries", error, "A root or registry does not have the list of its class",
         "It has no entries. An empty list says that this is meant. Correct the key, or "
         "'entries' of the class in muster.yaml."},
    Rule{"missing-meta", warning, "An asset has no sidecar",
         "Nothing can refer to it, and each machine will invent another guid. Open the project "
         "in the editor once and commit the .meta file."},
    Rule{"missing-owner", warning, "An entry belongs to nothing",
         "It is found by what it belongs to, so that nothing will find it. Set its owner, or "
         "remove it."},
    Rule{"namesake-class", note, "An asset's class is only called like one of registries",
         "It shows none of the fields that such a root or registry has, so it is taken for a "
         "class of the game's own and left alone. If it is one, list it in a root, or declare "
         "its class under 'classes' in muster.yaml."},
    Rule{"namesake-script", note, "Two scripts are called like one class that registries need",
         "Both are taken for the class, in whatever namespace each has it. Where one of them is "
         "something else, rename it."},
    Rule{"null-registry", error, "A root lists an empty registry slot",
         "Remove the slot, or put the registry back."},
    Rule{"orphan-lock", warning, "A lock of type ids belongs to no registry",
         "The registry was deleted, or renamed or moved while its lock did not yet name its "
         "guid: then its ids are lost with the next 'muster prepare'. Rename the lock to that "
         "of the registry ('.<registry>.ids.yaml' beside it), or remove it."},
    Rule{"orphan-meta", warning, "A sidecar stands beside nothing",
         "The asset was moved or deleted without it (or is an empty folder, which Git does not "
         "keep). Remove the sidecar, or restore the asset."},
    Rule{"outdated-entry", warning, "An entry says other things than its prefab",
         "The registry holds copies of what the prefab says, and they have not followed it. Run "
         "'muster prepare'."},
    Rule{"own-guid-mismatch", error, "A stored own guid is not the asset's guid",
         "The asset was copied or its sidecar remade. Run 'muster prepare', which writes the guid "
         "into registered assets, or let the editor's prepare step or a person write it."},
    Rule{"package-reference", note, "Something refers to a package that is not in the project",
         "Of a package's assets that are not in the project nothing is packed; its code never is. "
         "Embed the package (copy it into 'Packages', or name its folder under 'folders' in "
         "muster.yaml) if a game needs the content from its bundles. A warning says that neither "
         "manifest nor lock names the package, or that a local package is not there."},
    Rule{"placeholder-guid", warning, "A guid looks typed or counted, not drawn at random",
         "Guids are drawn at random so that no two projects share one; those that people and "
         "programs make up (ramps, counters, repeats) collide. "
         "Delete the sidecar and let the editor make a new one, then mend the references."},
    Rule{"prefab-cycle", error, "Prefabs contain each other",
         "A prefab cannot be inside itself. Remove one nested instance of the chain."},
    Rule{"prefab-without-root", error, "A prefab that is built has no object",
         "The file was cut short, or what it is a variant of is gone. Restore it, or take the "
         "prefab out of the registry."},
    Rule{"prefab-xor-factory", error, "An entry has both or neither of prefab and factory",
         "An entity comes from a prefab or from a factory. Set exactly one; an entry without "
         "either and without a guid is a free slot and only noted."},
    Rule{"presentation-key-collision", error, "Two presentations answer to one key",
         "Owner, platform flags, type and variation together must be unique. Change one of them "
         "on one of the presentations."},
    Rule{"presentation-key-range", error, "A number of a presentation's key is out of range",
         "Platform flags and variation are numbers from 0 to 65535, the type one up to "
         "4294967295; platform flags of -1 mean every platform. Correct it on the presentation."},
    Rule{"presentation-named", note,
         "A registry names presentation that builds for this target go without",
         "Servers need no textures, sounds and the like: 'strip' in muster.yaml leaves them out. "
         "What a registry names is built all the same. List it for clients alone, or name it under "
         "'keep', if it is meant. 'muster audit' tells what else is left."},
    Rule{"provider-collision", error, "Two definitions stand for one prefab",
         "In this layout a definition's prefabs share the definition's type id, so a prefab of "
         "two definitions would have two. Give one of them a prefab of its own, for example a "
         "variant; until then 'muster prepare' registers only the first."},
    Rule{"registry-id-mismatch", error, "A stored registry id is not the entry's id",
         "The asset believes it has another type id than the registry gives it. Correct the "
         "stored number, or register the asset again; 'muster prepare' writes numbers that are "
         "not assigned yet."},
    Rule{
        "repeated-registry", warning, "A root lists one registry twice",
        "It is built once all the same. Remove the second, or put back what it took the place of."},
    Rule{"target-without-root", warning, "There are roots, but none for the client or the server",
         "That side will be built empty. Add a root for it (its 'serverBuild' says which side "
         "it is for), or build the other side alone with '--target'."},
    Rule{"text-encoding", error, "A text file has an encoding or line ends that are not read",
         "Text is UTF-8, with lines that end with LF or CR LF, and without zero bytes. Save the "
         "file so, or restore it: zero bytes are what a crash leaves. A warning where no registry "
         "needs the file."},
    Rule{
        "too-many-entries", error, "A registry has more entries than there are type ids",
        "A type id has 16 bits on the wire, so that a class has at most 65,535 of them. Split what "
        "the class is for, or declare it with 'ids: false' if its entries are found by guid."},
    Rule{"type-id-collision", error, "Two entries have one type id",
         "A type id must lead to one asset, and be at most 65534 to fit the wire. Take the "
         "number of the newer entry out: its 'type_id', or its line in the lock (the hidden "
         "'.ids.yaml' file beside the registry). Then 'muster prepare' gives it a number that "
         "nothing had."},
    Rule{"type-id-disagreement", error, "Client and server give one thing different type ids",
         "The server would announce one entity and the client create another. Bring the "
         "registries of both sides into one order (or give the entry the same 'type_id', or the "
         "same line in both locks); 'muster prepare' changes nothing of the class before."},
    Rule{"type-id-reused", error, "An entry uses a type id that was retired",
         "Clients that have shipped still know the old meaning. Give the entry a fresh id."},
    Rule{
        "undescribed-component", note, "The game describes no component of that name",
        "It is packed as it stands, for an engine that knows it; the game's code gets nothing of "
        "it. If the game should, describe it and export the game's components again. If it is only "
        "to be seen or heard, list it under 'strip' in muster.yaml."},
    Rule{"unfit-value", error, "A value does not fit the field of its component",
         "The game describes what each field can hold (components.json), an entity has one "
         "component of each type, and a build would refuse this. Correct the value, or export the "
         "game's components again."},
    Rule{"unknown-class", warning, "A plain file has a class whose name looks mistyped",
         "A registry, root or prefab that is not known as one is not seen. Correct the name, or "
         "declare the class under 'classes' in muster.yaml."},
    Rule{"unknown-component", warning,
         "A plain prefab or factory has a component whose name looks mistyped",
         "Nothing of it reaches the game. Correct the name."},
    Rule{
        "unknown-field", warning, "A plain file or a sidecar has a key that nothing reads",
        "The value reaches nothing. Correct the name; of a component's field, or export the game's "
        "components again; of a registry whose game reads the key itself, list it under 'fields' "
        "of "
        "the class in muster.yaml. It is an error where something else would silently be taken: a "
        "type id, a retired id, a pool size, the side of a root."},
    Rule{"unknown-registry", warning, "A root or registry is of no known class",
         "Its entries are not seen. Declare the class under 'classes' in muster.yaml (by 'script: "
         "GUID' where the script is in no folder of the project), or restore its script with its "
         "sidecar. Where no class can be found at all this is an error."},
    Rule{"unlisted-registry", warning, "No root lists a registry",
         "Nothing in it is built. Add it to the client or server root, or remove it."},
    Rule{"unmatched-budget", error, "A budget in muster.yaml is for files that are not there",
         "It limits nothing. Paths begin at the project's folder; '*' stands for anything within a "
         "folder, '**' for any folders. Correct 'bundle' or 'kind', or remove the budget."},
    Rule{"unmatched-keep", error, "A path that 'strip' in muster.yaml is to keep is no file's",
         "What it should keep is left out. Paths begin at the project's folder; '*' stands for "
         "anything within a folder, '**' for any folders. Correct the path under 'keep', or remove "
         "it."},
    Rule{"unmatched-path", error, "A path that muster.yaml declares leads nowhere in any entry",
         "What it should find is not seen. Correct 'path' under 'references' of the class, or the "
         "pattern under 'rules'."},
    Rule{"unportable-name", warning, "A name that another operating system cannot have",
         "Git on Windows refuses to check out such a file ('invalid path') or leaves it out, and "
         "macOS wants names in UTF-8. Rename it."},
    Rule{"unreadable-components", error, "The game's component descriptions cannot be read",
         "Let the game export them again, or correct 'components' in muster.yaml."},
    Rule{"unreadable-file", error, "The operating system refused to read a file or folder",
         "Check its permissions."},
    Rule{"unregistered-prefab", warning, "An asset that belongs into a registry is not in it",
         "It has no type id and gets no bundle. Run 'muster prepare', or remove the component."},
    Rule{"unresolved-reference", warning, "A reference leads to nothing in the project",
         "The asset was deleted, or lives in a package that is neither in the project, nor in "
         "'Library/PackageCache', nor a common public one. Restore it, or list its guid under "
         "external_guids in muster.yaml. Of an object that its own file lacks, choose another."},
    Rule{"unset-own-guid", warning, "An asset that stores its own guid does not say it yet",
         "The build takes the guid from the registry, but other code may ask the asset. Run "
         "'muster prepare', which writes it into registered assets."},
    Rule{"unusable-dictionary", error, "A dictionary that the project keeps cannot be used",
         "A build would refuse it. Put back the file that was committed, or let 'muster train "
         "--force' replace or remove it."},
    Rule{
        "unused-override", warning, "An override of a prefab's instance changes nothing",
        "Its target is no object of the prefab that the instance comes from: the source was "
        "exchanged, or has lost the object. The value is not applied, and what the override refers "
        "to is not packed. In Unity choose 'Unused Overrides' of the instance to remove it, or "
        "make "
        "the change again. An override whose object is gone is only noted."},
    Rule{"upper-case-guid", note, "A guid is spelled in upper case",
         "It is read all the same; the editor writes lower case."},
    Rule{"variant-flattened", warning, "A prefab contains one whose variants the game chooses",
         "Nested prefabs become a part of the one that contains them when that is built, so the "
         "game's choice cannot reach in. Vary the outer prefab instead, refer to the inner one "
         "without nesting it, or let the axis be chosen at build ('choose: build')."},
    Rule{"variant-impossible", error, "A file is named like a variant of what cannot vary",
         "Folders, code, registries and their roots are the same for everybody. Rename the file, "
         "or let what the registry names vary."},
    Rule{"variant-other-kind", error, "A variant is another kind of asset than its base",
         "A game that asks for a part of the asset has to find it in every variant: a variant has "
         "the extension of its base, is a prefab where that is one, and has its class. Convert "
         "it, or rename it."},
    Rule{"variant-other-wire", error, "A variant is not replicated as its base is",
         "A server and its clients may choose different variants of one asset, and tell each other "
         "of components by their entity's place in it: whatever travels has to be the same in "
         "all, on entities of the same places; and so have the file ids of entities that stand "
         "in a level, which get their network ids by them. Values may differ, and what does not "
         "travel. Add what is missing, and put entities that one form alone has behind all "
         "others."},
    Rule{"variant-referenced", error, "Something refers to a variant by its own guid",
         "A variant is packed under the guid of its base, which stands for whichever variant is "
         "chosen. Refer to the base."},
    Rule{"variant-repeated", error, "Two files are variants of one asset for the same values",
         "The order of keys does not matter: 'a@low,de.png' and 'a@de,low.png' are the same. "
         "Remove one of them."},
    Rule{"variant-unknown-key", error, "A file is named like a variant for what is not declared",
         "Behind the '@' stand values of the axes that 'variants' in muster.yaml declares, with "
         "commas between them, each axis at most once. Correct the name, or declare the value."},
    Rule{"variant-unknown-word", warning, "A file's name has an '@' and a word that is no value",
         "It would not be packed as a variant of the file beside it. If it is meant to be one, "
         "correct the word or declare it under 'variants' in muster.yaml; if not, rename it or "
         "accept the finding in a baseline."},
    Rule{"variant-without-base", error, "A variant stands beside nothing that it could vary",
         "'crate@low.png' needs a 'crate.png' in its folder: the content where no variant fits. "
         "Add it, or rename the file."},
    Rule{
        "wrong-shape", error, "A plain file has something else where its form wants another thing",
        "A list where one value is due, a weak reference where a strong one is, a second document, "
        "a "
        "component outside of its list: nothing would read it as it was meant. The form of plain "
        "files is in content/arena/README.md; 'muster schema content' lets an editor underline the "
        "same."},
    Rule{"wrong-target", error, "A registry refers to something of the wrong kind",
         "The guid leads somewhere, but not to what is wanted there: the file has no such "
         "object, is no prefab or no asset of the class, or lies outside of the project. Refer "
         "to the right one."},
    Rule{"yaml-syntax", error, "A file is not the YAML that it should be",
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
  // Two checks may find the same problem; the more severe finding is kept.
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
