#include "bundler/plan/variant_plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"

namespace muster {
namespace {

AssetPath path(const std::string& text) { return AssetPath::parse(text).value(); }
Guid guid_of(const std::string& name) {
  return Guid::parse(hash_bytes(as_bytes(name)).to_string()).value();
}

/// A project of plain assets that refer to each other by name.
class Game {
 public:
  explicit Game(const std::string& quality = "high", const std::string& language = "en, de]") {
    add_file("muster.yaml",
             "version: 1\nname: game\nfolders: [a]\nvariants:\n"
             "  platform: {values: [windows, linux], default: windows, choose: build}\n"
             "  quality: {values: [low, high], default: " +
                 quality +
                 "}\n"
                 "  language: {values: [" +
                 language +
                 "}\n"
                 "classes:\n  Things:\n    references:\n    - {path: thing, targets: [client]}\n");
  }

  void add(const std::string& name, const std::vector<std::string>& references = {}) {
    std::string text = "class: Thing\nrefers:\n";
    for (const std::string& one : references) {
      text += "- {fileID: 1, guid: " + guid_of(one).to_string() + "}\n";
    }
    add_asset(name, text);
  }

  void add_registry(const std::vector<std::string>& things) {
    std::string text = "class: Things\nentries:\n";
    for (std::size_t i = 0; i < things.size(); ++i) {
      text += "- {type_id: " + std::to_string(i) +
              ", thing: {guid: " + guid_of(things[i]).to_string() + "}}\n";
    }
    add_asset("things", text);
  }

  BundlePlan plan(const std::vector<VariantWish>& wishes = {}) {
    project = Project::open(files, 1, {}, {}, wishes).value();
    std::vector<std::uint64_t> sizes(project->index().assets().size(), std::uint64_t{1} << 20U);
    return plan_bundles(*project, {.target = Target::client}, sizes);
  }

  std::string name_of(AssetNumber asset) const {
    return std::string(project->index().at(asset).path.stem());
  }

  /// Returns a text for each bundle, for example `a b -> c+d`: the assets of the bundle, and the
  /// first asset of each dependency.
  std::set<std::string> summary(const BundlePlan& plan) const {
    std::set<std::string> lines;
    for (const PlannedBundle& bundle : plan.bundles) {
      if (bundle.owners.empty()) continue;  // the registry's bundle
      std::string line;
      for (const AssetNumber asset : bundle.assets) line += name_of(asset) + " ";
      line += "->";
      std::set<std::string> needed;
      for (const std::size_t one : bundle.dependencies) {
        needed.insert(name_of(plan.bundles[one].assets.front()));
      }
      for (const std::string& one : needed) line += " " + one;
      if (!bundle.keys.empty()) {
        line += " for " + to_text(project->config().axes, bundle.keys) + " of " +
                name_of(plan.bundles[bundle.base].assets.front());
      }
      lines.insert(line);
    }
    return lines;
  }

  MemoryFileSystem files;
  std::unique_ptr<Project> project;

 private:
  void add_file(const std::string& name, const std::string& text) {
    REQUIRE(files.write(path(name), as_bytes(text)).has_value());
  }
  void add_asset(const std::string& name, const std::string& text) {
    add_file("a/" + name + ".yaml", text);
    add_file("a/" + name + ".yaml.meta", "guid: " + guid_of(name).to_string() + "\n");
  }
};

using Lines = std::set<std::string>;

TEST_CASE(
    "An asset with variants, each variant, and the assets that only these need have separate "
    "bundles",
    "[bundler][plan][variant]") {
  Game game;
  game.add("crate", {"paint", "wood"});
  game.add("barrel", {"wood"});
  game.add("paint", {"gloss", "wood", "varnish"});
  game.add("paint@low", {"flat", "varnish"});
  game.add("gloss");
  game.add("flat");
  game.add("varnish");
  game.add("wood");
  game.add_registry({"crate", "barrel"});
  CHECK(game.summary(game.plan()) == Lines{"crate -> paint wood", "barrel -> wood", "wood ->",
                                           "paint -> gloss varnish wood",
                                           "paint@low -> flat varnish for quality=low of paint",
                                           "gloss ->", "flat ->", "varnish ->"});
}

TEST_CASE("A registered asset may have variants, and its bundle keeps its name",
          "[bundler][plan][variant]") {
  Game game;
  game.add("crate", {"wood"});
  game.add("crate@low", {"plank"});
  game.add("crate@low,de", {"plank", "sign"});
  game.add("user", {"crate"});
  game.add("wood");
  game.add("plank");
  game.add("sign");
  game.add_registry({"crate", "user"});
  const BundlePlan plan = game.plan();
  CHECK(game.summary(plan) ==
        Lines{"crate -> wood", "crate@low -> plank for quality=low of crate",
              "crate@low,de -> plank sign for quality=low,language=de of crate", "user -> crate",
              "wood ->", "plank ->", "sign ->"});
  CHECK(std::ranges::count_if(plan.bundles, [](const PlannedBundle& bundle) {
          return bundle.prefab != kNoAsset;
        }) == 2);
}

TEST_CASE("A variant chosen at build time replaces the base completely",
          "[bundler][plan][variant]") {
  Game game;
  game.add("crate", {"paint"});
  game.add("paint", {"gloss"});
  game.add("paint@low");
  game.add("paint@linux", {"matt"});
  game.add("gloss");
  game.add("matt");
  game.add_registry({"crate"});
  CHECK(game.summary(game.plan()) == Lines{"crate -> paint", "paint -> gloss", "gloss ->",
                                           "paint@low -> for quality=low of paint"});
  CHECK(game.summary(game.plan({{"platform", "linux"}})) ==
        Lines{"crate -> paint@linux", "paint@linux -> matt", "matt ->",
              "paint@low -> for quality=low of paint@linux"});
  CHECK(game.summary(game.plan({{"quality", "low"}})) == Lines{"crate paint@low ->"});
  CHECK(game.summary(game.plan({{"quality", "high"}})) == Lines{"crate gloss paint ->"});
}

TEST_CASE("Without axes '@' has no meaning, and the plan is unchanged",
          "[bundler][plan][variant]") {
  Game game;
  game.add("crate", {"paint"});
  game.add("paint");
  game.add("paint@low");
  game.add_registry({"crate"});
  REQUIRE(game.files
              .write(path("muster.yaml"),
                     as_bytes("version: 1\nname: game\nfolders: [a]\nclasses:\n  Things:\n"
                              "    references:\n    - {path: thing, targets: [client]}\n"))
              .has_value());
  CHECK(game.summary(game.plan()) == Lines{"crate paint ->"});
}

// The bundles that are open after a request for `bundle` with a choice.
std::set<std::size_t> opened_with(const BundlePlan& plan, std::size_t bundle,
                                  const VariantKeys& choice) {
  const auto chosen = [&](std::size_t requested) {
    std::size_t best = requested;
    for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
      const PlannedBundle& one = plan.bundles[i];
      if (one.keys.empty() || one.base != requested || !fits(one.keys, choice)) continue;
      if (best == requested || is_preferred(one.keys, plan.bundles[best].keys)) best = i;
    }
    return best;
  };
  std::set<std::size_t> open;
  std::vector<std::size_t> queue{chosen(bundle)};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (!open.insert(queue[i]).second) continue;
    const PlannedBundle& now = plan.bundles[queue[i]];
    if (i > 0 && now.varied == kNoAsset) continue;
    for (const std::size_t needed : now.dependencies) queue.push_back(chosen(needed));
  }
  return open;
}

// The assets in memory after a request for `bundle` with a choice.
std::set<AssetNumber> loaded_with(const BundlePlan& plan, std::size_t bundle,
                                  const VariantKeys& choice) {
  std::set<AssetNumber> assets;
  for (const std::size_t one : opened_with(plan, bundle, choice)) {
    assets.insert(plan.bundles[one].assets.begin(), plan.bundles[one].assets.end());
  }
  return assets;
}

// The reachable assets if each asset is replaced by its chosen variant.
std::set<AssetNumber> reached_with(const Project& project, AssetNumber root,
                                   const VariantKeys& choice) {
  std::set<AssetNumber> reached;
  std::vector<AssetNumber> queue{root};
  while (!queue.empty()) {
    AssetNumber now = queue.back();
    queue.pop_back();
    const VariantFile* best = nullptr;
    for (const VariantFile& file : project.variants().of(now)) {
      if (!fits(file.keys, choice)) continue;
      if (best == nullptr || is_preferred(file.keys, best->keys)) best = &file;
    }
    if (best != nullptr) now = best->file;
    if (!reached.insert(now).second) continue;
    for (const ReferenceEdge& edge : project.graph().from(now)) {
      if (edge.is_strong() && !edge.is_variant) queue.push_back(edge.to);
    }
  }
  return reached;
}

void fill_at_random(Game& game, unsigned seed) {
  std::mt19937 random(seed);
  constexpr unsigned kAssets = 12;
  const auto name = [](unsigned i) { return "asset" + std::to_string(i); };
  const auto references = [&] {
    std::vector<std::string> found;
    for (unsigned i = 0; i < kAssets; ++i) {
      if (random() % 6 == 0) found.push_back(name(i));
    }
    return found;
  };
  for (unsigned i = 0; i < kAssets; ++i) {
    game.add(name(i), references());
    if (random() % 3 == 0) game.add(name(i) + "@low", references());
    if (random() % 5 == 0) game.add(name(i) + "@de", references());
    if (random() % 5 == 0) game.add(name(i) + "@low,de", references());
  }
  game.add_registry({name(0), name(1), name(2)});
}

TEST_CASE(
    "For every choice, a prefab's bundles contain all assets that a brute-force search reaches",
    "[bundler][plan][variant][property]") {
  const auto seed = GENERATE(range(1U, 41U));
  CAPTURE(seed);
  Game game;
  fill_at_random(game, seed);
  const BundlePlan plan = game.plan();
  const Project& project = *game.project;
  std::map<AssetNumber, int> homes;
  for (const PlannedBundle& bundle : plan.bundles) {
    for (const AssetNumber asset : bundle.assets) ++homes[asset];
    if (bundle.varied != kNoAsset) CHECK(bundle.assets.size() == 1);
  }
  for (const auto& [asset, count] : homes) CHECK(count == 1);
  for (unsigned combination = 0; combination < 4; ++combination) {
    VariantKeys choice;
    if (combination % 2 == 1) choice.push_back({1, 0});
    if (combination / 2 == 1) choice.push_back({2, 1});
    for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
      if (plan.bundles[i].prefab == kNoAsset) continue;
      const auto reached = reached_with(project, plan.bundles[i].prefab, choice);
      const auto loaded = loaded_with(plan, i, choice);
      CHECK(std::ranges::includes(loaded, reached));
      for (const AssetNumber asset : loaded) {
        if (project.variants().is_variant(asset)) CHECK(reached.contains(asset));
      }
    }
  }
}

// The choice of the default value of each axis.
VariantKeys default_choice(const Project& project) {
  VariantKeys choice;
  for (std::uint16_t axis = 1; axis < project.config().axes.size(); ++axis) {
    const auto value = project.config().axes[axis].default_value;
    if (value) choice.push_back({axis, *value});
  }
  return choice;
}

TEST_CASE(
    "The needed and wasted bytes of a prefab count the default variants, as a brute-force count "
    "does",
    "[bundler][plan][variant][property]") {
  const auto seed = GENERATE(range(1U, 41U));
  const bool is_low = seed % 2 == 0;
  CAPTURE(seed);
  Game game(is_low ? "low" : "high", seed % 3 == 0 ? "en, de], default: de" : "en, de]");
  fill_at_random(game, seed);
  const BundlePlan plan = game.plan();
  constexpr std::uint64_t kBytesEach = std::uint64_t{1} << 20U;
  const VariantKeys choice = default_choice(*game.project);
  for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
    const PlannedBundle& bundle = plan.bundles[i];
    if (bundle.prefab == kNoAsset) continue;
    const std::size_t needed = reached_with(*game.project, bundle.prefab, choice).size();
    CHECK(bundle.needed_bytes == needed * kBytesEach);
    CHECK(bundle.vain_bytes == (loaded_with(plan, i, choice).size() - needed) * kBytesEach);
    CHECK(bundle.file_count == opened_with(plan, i, choice).size());
  }
}

TEST_CASE("For the byte counts, a prefab needs only one variant of an asset",
          "[bundler][plan][variant]") {
  const auto fill = [](Game& game) {
    game.add("crate", {"paint"});
    game.add("crate@de", {"paint", "sign"});
    game.add("paint", {"gloss"});
    game.add("paint@low", {"flat", "grain", "dust"});
    for (const char* const name : {"sign", "gloss", "flat", "grain", "dust"}) game.add(name);
    game.add_registry({"crate"});
  };
  constexpr std::uint64_t kBytesEach = std::uint64_t{1} << 20U;
  const auto check = [&](Game& game, const std::vector<VariantWish>& wishes, std::uint64_t needed,
                         std::uint64_t files) {
    fill(game);
    const BundlePlan plan = game.plan(wishes);
    const PlannedBundle& crate = plan.bundles.front();
    REQUIRE(crate.prefab != kNoAsset);
    CHECK(crate.needed_bytes == needed * kBytesEach);
    CHECK(crate.vain_bytes == 0);
    CHECK(crate.file_count == files);
  };
  Game high;
  check(high, {}, 3, 3);  // Crate, paint, gloss: one file each.
  Game low("low");
  check(low, {}, 5, 3);  // The last file has flat, grain and dust.
  Game german("high", "en, de], default: de");
  check(german, {}, 4, 4);  // crate@de, sign, paint, gloss: one file each.
  Game settled;
  check(settled, {{"quality", "low"}}, 5, 2);  // One file has the crate.
}

}  // namespace
}  // namespace muster
