// The algorithm is greedy and works in rounds. In each round, every user proposes to merge pairs of
// similar groups: groups with a similar number of users, and small groups. The proposals are sorted
// by the unneeded bytes per saved opening, and each group is merged by its best proposal. Comparing
// all pairs would take quadratic time, and a queue of pairs would need an update after each merge.
//
// Sizes are rounded to powers of two before they are compared. With exact sizes, one more byte in a
// file could change the order of all later proposals, and so could change bundles that have nothing
// to do with that file.
#include "bundler/plan/shared_groups.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <tuple>
#include <utility>

namespace muster {
namespace {

/// The maximum number of rounds. Each round merges a part of the remaining groups, and real
/// projects need a few dozen rounds.
constexpr int kRoundsMax = 200;
/// For each user, this number of its smallest groups are compared with each other.
constexpr std::size_t kSmallestCompared = 4;

struct Merged {
  std::vector<std::uint32_t> users;
  std::uint64_t bytes = 0;
  Guid key;
  bool is_always_open = false;
  std::vector<std::uint32_t> groups;
};

/// Two bundles, and the effect of merging them.
struct Proposal {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint64_t vain_bytes = 0;  ///< The bytes of both groups that users load without needing them.
  std::uint64_t saved = 0;       ///< The number of saved openings.
  int cost = 0;                  ///< The unneeded bytes per saved opening, as a power of two.
};

std::uint64_t coarse(std::uint64_t bytes) {
  return std::bit_ceil(std::max<std::uint64_t>(bytes, 1));
}

class Merging {
 public:
  Merging(const std::vector<SharedGroup>& groups, const std::vector<GroupUser>& users,
          const MergeRule& rule)
      : users_(users), rule_(rule), files_(users.size(), 0) {
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      const SharedGroup& group = groups[i];
      bundles_.push_back({group.users, group.bytes, group.key, group.is_always_open, {i}});
      for (const std::uint32_t user : group.users) ++files_[user];
    }
    for (std::size_t i = 0; i < users.size(); ++i) {
      files_[i] += users[i].other_files;
      room_.push_back(rule.vain_max(users[i].needed_bytes));
    }
  }

  std::vector<std::uint32_t> run(std::size_t group_count) {
    for (int round = 0; round < kRoundsMax && merge_round(false); ++round) {
    }
    for (int round = 0; round < kRoundsMax && merge_round(true); ++round) {
    }
    std::vector<std::uint32_t> bundle_of(group_count, 0);
    std::vector<std::uint32_t> number_of(bundles_.size(), 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_first;
    for (std::uint32_t i = 0; i < bundles_.size(); ++i) {
      if (!bundles_[i].groups.empty()) {
        by_first.emplace_back(*std::ranges::min_element(bundles_[i].groups), i);
      }
    }
    std::ranges::sort(by_first);
    for (std::uint32_t i = 0; i < by_first.size(); ++i) number_of[by_first[i].second] = i;
    for (std::uint32_t i = 0; i < bundles_.size(); ++i) {
      for (const std::uint32_t group : bundles_[i].groups) bundle_of[group] = number_of[i];
    }
    return bundle_of;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  bool is_over(std::uint32_t user) const { return files_[user] > rule_.files_max; }

  // For each user, the bundles that it opens.
  std::vector<std::vector<std::uint32_t>> opened() const {
    std::vector<std::vector<std::uint32_t>> lists(users_.size());
    for (std::uint32_t i = 0; i < bundles_.size(); ++i) {
      for (const std::uint32_t user : bundles_[i].users) lists[user].push_back(i);
    }
    return lists;
  }

  std::vector<Pair> pairs(bool is_for_bound) const {
    std::vector<Pair> found;
    const auto add = [&](std::uint32_t a, std::uint32_t b) {
      if (bundles_[a].is_always_open == bundles_[b].is_always_open) {
        found.emplace_back(std::min(a, b), std::max(a, b));
      }
    };
    auto lists = opened();
    for (std::uint32_t user = 0; user < lists.size(); ++user) {
      std::vector<std::uint32_t>& list = lists[user];
      if (is_for_bound && !is_over(user)) continue;
      std::ranges::sort(list, {}, [&](std::uint32_t i) {
        return std::tuple(bundles_[i].users.size(), bundles_[i].key);
      });
      for (std::size_t i = 1; i < list.size(); ++i) add(list[i - 1], list[i]);
      std::ranges::sort(list, {}, [&](std::uint32_t i) {
        return std::tuple(coarse(bundles_[i].bytes), bundles_[i].key);
      });
      const std::size_t compared = std::min(list.size(), kSmallestCompared);
      for (std::size_t i = 0; i < compared; ++i) {
        for (std::size_t j = i + 1; j < compared; ++j) add(list[i], list[j]);
      }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  // A fast check that excludes most pairs. It uses the sums from the start of the round.
  bool is_promising(const Pair& pair, bool is_for_bound, Proposal& proposal) const {
    const bool first_has_more =
        bundles_[pair.first].users.size() > bundles_[pair.second].users.size();
    const Merged& more = bundles_[first_has_more ? pair.first : pair.second];
    const Merged& fewer = bundles_[first_has_more ? pair.second : pair.first];
    proposal = {pair.first, pair.second, 0, 0, 0};
    bool helps_bound = false;
    auto from = more.users.begin();
    for (const std::uint32_t user : fewer.users) {
      from = std::lower_bound(from, more.users.end(), user);
      if (from == more.users.end()) break;
      if (*from != user) continue;
      ++proposal.saved;
      helps_bound = helps_bound || is_over(user);
    }
    const std::uint64_t more_alone = more.users.size() - proposal.saved;
    const std::uint64_t fewer_alone = fewer.users.size() - proposal.saved;
    if (proposal.saved == 0 || (is_for_bound && !helps_bound)) return false;
    proposal.vain_bytes = more_alone * weight(fewer) + fewer_alone * weight(more);
    return weigh(is_for_bound, proposal);
  }

  // The exact check, which examines each user. Returns false if the merge is not allowed or costs
  // too much.
  bool is_allowed(const Pair& pair, bool is_for_bound, Proposal& proposal) const {
    proposal = {pair.first, pair.second, 0, 0, 0};
    bool helps_bound = false;
    const bool fits = each_user(bundles_[pair.first], bundles_[pair.second],
                                [&](std::uint32_t user, std::uint64_t vain) {
                                  proposal.vain_bytes += vain;
                                  if (vain > 0) return vain <= room_[user];
                                  ++proposal.saved;
                                  helps_bound = helps_bound || is_over(user);
                                  return true;
                                });
    if (!fits || proposal.saved == 0 || (is_for_bound && !helps_bound)) return false;
    return weigh(is_for_bound, proposal);
  }

  bool weigh(bool is_for_bound, Proposal& proposal) const {
    const std::uint64_t each = proposal.vain_bytes / proposal.saved;
    proposal.cost = static_cast<int>(std::bit_width(each));
    return is_for_bound || each <= rule_.file_cost_bytes;
  }

  // A group without bytes counts as one byte, because it also costs time to load a group that is
  // not needed.
  static std::uint64_t weight(const Merged& bundle) {
    return std::max<std::uint64_t>(bundle.bytes, 1);
  }

  // Calls `visit` for each user of the two groups, with the unneeded bytes that the user would load
  // after merging: 0 for a user of both groups. Stops if `visit` returns false.
  template <typename Visit>
  static bool each_user(const Merged& a, const Merged& b, const Visit& visit) {
    auto left = a.users.begin();
    auto right = b.users.begin();
    while (left != a.users.end() || right != b.users.end()) {
      bool goes_on = true;
      if (right == b.users.end() || (left != a.users.end() && *left < *right)) {
        goes_on = visit(*left++, weight(b));
      } else if (left == a.users.end() || *right < *left) {
        goes_on = visit(*right++, weight(a));
      } else {
        goes_on = visit(*left, 0);
        ++left;
        ++right;
      }
      if (!goes_on) return false;
    }
    return true;
  }

  bool merge_round(bool is_for_bound) {
    std::vector<Proposal> proposals;
    for (const Pair& pair : pairs(is_for_bound)) {
      Proposal proposal;
      if (is_promising(pair, is_for_bound, proposal)) proposals.push_back(proposal);
    }
    std::ranges::sort(proposals, {}, [&](const Proposal& one) {
      const Guid& a = bundles_[one.first].key;
      const Guid& b = bundles_[one.second].key;
      return std::tuple(one.cost, std::min(a, b), std::max(a, b));
    });
    std::vector<std::uint32_t> now_in(bundles_.size());
    for (std::uint32_t i = 0; i < now_in.size(); ++i) now_in[i] = i;
    const auto group_of = [&](std::uint32_t bundle) {
      while (now_in[bundle] != bundle) bundle = now_in[bundle] = now_in[now_in[bundle]];
      return bundle;
    };
    bool has_merged = false;
    for (const Proposal& one : proposals) {
      const std::uint32_t a = group_of(one.first);
      const std::uint32_t b = group_of(one.second);
      // Earlier merges of this round may have made the proposal more expensive. The next rounds
      // consider such a pair of groups again.
      Proposal now;
      if (a == b || !is_allowed({a, b}, is_for_bound, now) || now.cost > one.cost + 1) continue;
      merge(a, b);
      now_in[b] = a;
      has_merged = true;
    }
    std::erase_if(bundles_, [](const Merged& bundle) { return bundle.groups.empty(); });
    return has_merged;
  }

  void merge(std::uint32_t first, std::uint32_t second) {
    Merged& a = bundles_[first];
    Merged& b = bundles_[second];
    each_user(a, b, [&](std::uint32_t user, std::uint64_t vain) {
      room_[user] -= vain;
      if (vain == 0) --files_[user];
      return true;
    });
    std::vector<std::uint32_t> users;
    std::ranges::set_union(a.users, b.users, std::back_inserter(users));
    a.users = std::move(users);
    a.bytes += b.bytes;
    a.key = std::min(a.key, b.key);
    a.groups.insert(a.groups.end(), b.groups.begin(), b.groups.end());
    b = Merged();
  }

  const std::vector<GroupUser>& users_;
  const MergeRule& rule_;
  std::vector<Merged> bundles_;
  std::vector<std::uint64_t> room_;   // The unneeded bytes that each user may still load.
  std::vector<std::uint32_t> files_;  // The number of files of each user.
};

}  // namespace

std::uint64_t MergeRule::vain_max(std::uint64_t needed_bytes) const {
  const auto share = static_cast<std::uint64_t>(static_cast<double>(needed_bytes) * vain_share_max);
  return std::max(share, vain_bytes_min);
}

std::vector<std::uint32_t> merge_groups(const std::vector<SharedGroup>& groups,
                                        const std::vector<GroupUser>& users,
                                        const MergeRule& rule) {
  return Merging(groups, users, rule).run(groups.size());
}

}  // namespace muster
