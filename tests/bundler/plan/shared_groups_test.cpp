#include "bundler/plan/shared_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/bytes.h"
#include "registry/base/seed.h"

namespace muster {
namespace {

Guid key_of(std::uint64_t i) {
  Random random(i + 1);
  ByteVector bytes(16);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return Guid::from_bytes(std::span(bytes).first<16>());
}

struct Sample {
  std::vector<SharedGroup> groups;
  std::vector<GroupUser> users;
};

// Makes families of prefabs that share many assets, some assets that all prefabs need, and random
// groups.
Sample sample(std::uint64_t seed, std::size_t user_count, std::size_t group_count) {
  Random random(seed);
  Sample made;
  for (std::size_t i = 0; i < user_count; ++i) {
    made.users.push_back({1000 + random.below(200'000), 1});
  }
  std::set<std::vector<std::uint32_t>> seen;
  while (made.groups.size() < group_count) {
    SharedGroup group;
    std::set<std::uint32_t> chosen;
    const std::size_t family = random.below(1 + user_count / 10) * 10;
    const std::size_t size = random.below(20) == 0 ? user_count : 2 + random.below(8);
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_random = random.below(10) == 0;
      const std::size_t user = is_random ? random.below(user_count) : family + random.below(10);
      chosen.insert(static_cast<std::uint32_t>(user % user_count));
    }
    group.users.assign(chosen.begin(), chosen.end());
    if (group.users.size() < 2 || !seen.insert(group.users).second) continue;
    group.bytes = std::uint64_t{1} << random.below(18);
    group.bytes += random.below(group.bytes);
    group.key = key_of(seed * 100'000 + made.groups.size());
    for (const std::uint32_t user : group.users) made.users[user].needed_bytes += group.bytes;
    made.groups.push_back(std::move(group));
  }
  return made;
}

struct Load {
  std::uint32_t files = 0;
  std::uint64_t vain_bytes = 0;
};

std::vector<Load> loads(const Sample& from, const std::vector<std::uint32_t>& bundle_of) {
  std::map<std::uint32_t, std::uint64_t> bytes;
  std::vector<std::set<std::uint32_t>> opened(from.users.size());
  std::vector<Load> loads(from.users.size());
  for (std::size_t i = 0; i < from.groups.size(); ++i) {
    bytes[bundle_of[i]] += from.groups[i].bytes;
    for (const std::uint32_t user : from.groups[i].users) opened[user].insert(bundle_of[i]);
  }
  for (std::size_t user = 0; user < opened.size(); ++user) {
    loads[user].files =
        from.users[user].other_files + static_cast<std::uint32_t>(opened[user].size());
    for (const std::uint32_t bundle : opened[user]) loads[user].vain_bytes += bytes[bundle];
  }
  for (const SharedGroup& group : from.groups) {
    for (const std::uint32_t user : group.users) loads[user].vain_bytes -= group.bytes;
  }
  return loads;
}

std::set<std::set<Guid>> as_sets(const Sample& from, const std::vector<std::uint32_t>& bundle_of) {
  std::map<std::uint32_t, std::set<Guid>> members;
  for (std::size_t i = 0; i < bundle_of.size(); ++i) {
    members[bundle_of[i]].insert(from.groups[i].key);
  }
  std::set<std::set<Guid>> sets;
  for (auto& [bundle, keys] : members) sets.insert(std::move(keys));
  return sets;
}

TEST_CASE("Groups are merged within both limits, for any limits", "[bundler][plan][sys-12]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Sample made = sample(seed, 10 + random.below(60), 10 + random.below(120));
    const MergeRule rule{.files_max = 4 + static_cast<std::uint32_t>(random.below(12))};
    const auto bundle_of = merge_groups(made.groups, made.users, rule);
    REQUIRE(bundle_of.size() == made.groups.size());
    std::uint32_t next = 0;
    for (const std::uint32_t bundle : bundle_of) {
      CHECK(bundle <= next);
      next = std::max(next, bundle + 1);
    }
    std::vector<std::uint32_t> alone(made.groups.size());
    for (std::uint32_t i = 0; i < alone.size(); ++i) alone[i] = i;
    const auto before = loads(made, alone);
    const auto after = loads(made, bundle_of);
    for (std::size_t user = 0; user < after.size(); ++user) {
      CAPTURE(user);
      CHECK(after[user].files <= before[user].files);
      CHECK(after[user].vain_bytes <= rule.vain_max(made.users[user].needed_bytes));
    }
  }
}

TEST_CASE(
    "A prefab exceeds the limit on files only if merging would exceed the limit on wasted bytes",
    "[bundler][plan][sys-12]") {
  // Each pair of prefabs shares a large asset, so that no two groups can be merged.
  Sample made;
  for (std::uint32_t i = 0; i < 8; ++i) made.users.push_back({7 * 100'000, 1});
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = a + 1; b < 8; ++b) {
      made.groups.push_back({{a, b}, 100'000, key_of(made.groups.size()), false});
    }
  }
  const MergeRule strict{.files_max = 4, .vain_share_max = 0.1, .vain_bytes_min = 0};
  for (const Load& load : loads(made, merge_groups(made.groups, made.users, strict))) {
    CHECK(load.files == 8);
    CHECK(load.vain_bytes == 0);
  }
  const MergeRule wide{.files_max = 4, .vain_share_max = 10};
  for (const Load& load : loads(made, merge_groups(made.groups, made.users, wide))) {
    CHECK(load.files <= 4);
  }
}

TEST_CASE(
    "Groups with equal users become one bundle, and assets of registries have their own bundle",
    "[bundler][plan]") {
  const MergeRule rule;
  const std::vector<GroupUser> users(3, GroupUser{100'000, 1});
  SECTION("two groups have the same users") {
    const std::vector<SharedGroup> groups = {{{0, 1}, 90'000, key_of(1), false},
                                             {{0, 1}, 70'000, key_of(2), false}};
    CHECK(merge_groups(groups, users, rule) == std::vector<std::uint32_t>{0, 0});
  }
  SECTION("only some users need a large group") {
    const std::vector<SharedGroup> groups = {{{0, 1}, 90'000, key_of(1), false},
                                             {{0, 1, 2}, 70'000, key_of(2), false}};
    CHECK(merge_groups(groups, users, rule) == std::vector<std::uint32_t>{0, 1});
  }
  SECTION("registries need one of two groups") {
    const std::vector<SharedGroup> groups = {{{0, 1}, 9, key_of(1), true},
                                             {{0, 1}, 9, key_of(2), false}};
    CHECK(merge_groups(groups, users, rule) == std::vector<std::uint32_t>{0, 1});
  }
  SECTION("there are no groups") { CHECK(merge_groups({}, users, rule).empty()); }
  SECTION("groups have no bytes") {
    const std::vector<SharedGroup> groups = {{{0, 1}, 0, key_of(1), false},
                                             {{1, 2}, 0, key_of(2), false}};
    CHECK(merge_groups(groups, users, rule) == std::vector<std::uint32_t>{0, 0});
  }
}

TEST_CASE("The order of groups does not change the bundles", "[bundler][plan]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Sample made = sample(seed, 40, 80);
    const auto before = as_sets(made, merge_groups(made.groups, made.users, {}));
    Random random(seed);
    for (std::size_t i = made.groups.size(); i > 1; --i) {
      std::swap(made.groups[i - 1], made.groups[random.below(i)]);
    }
    CHECK(as_sets(made, merge_groups(made.groups, made.users, {})) == before);
  }
}

TEST_CASE("A small change moves few bundles", "[bundler][plan][sys-12]") {
  std::size_t bundles = 0;
  std::size_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Sample made = sample(seed, 60, 150);
    const auto before = as_sets(made, merge_groups(made.groups, made.users, {}));
    Random random(seed + 1000);
    // One group grows by 5 %, and a new group of two prefabs is added.
    SharedGroup& grown = made.groups[random.below(made.groups.size())];
    grown.bytes += grown.bytes / 20;
    made.groups.push_back({{3, 47}, 3000, key_of(seed * 777'777), false});
    const auto after = as_sets(made, merge_groups(made.groups, made.users, {}));
    bundles += before.size();
    moved += static_cast<std::size_t>(
        std::ranges::count_if(before, [&](const auto& set) { return !after.contains(set); }));
  }
  CAPTURE(bundles, moved);
  CHECK(moved * 20 <= bundles);
}

}  // namespace
}  // namespace muster
