// The head comes first and has its own hash, because a build that has nothing to do reads only the
// head. Any invalid byte is an error. After an error, the build only has to build everything again.
#include "bundler/incremental/build_state.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "bundler/incremental/state_facts.h"
#include "bundler/incremental/state_reader.h"

namespace muster {
namespace {

constexpr std::string_view kStateMagic = "MBST\r\n\x1a\n";
constexpr std::uint16_t kStateVersion = 4;
constexpr std::uint8_t kUseMask = 0x03;
constexpr std::uint8_t kSettled = 0x04;
constexpr std::uint8_t kExists = 0x08;
constexpr unsigned kKindShift = 4;
constexpr std::size_t kContentHashBytes = sizeof(ContentHash::bytes);
constexpr std::size_t kHeadHashAt = 16;
constexpr std::size_t kBodyHashAt = 32;
constexpr std::size_t kSizesAt = 48;
static_assert(kSizesAt + 16 == kStateHeaderBytes);

void put(ByteWriter& out, const ContentHash& hash) {
  out.bytes(std::as_bytes(std::span(hash.bytes)));
}

class Encoder {
 public:
  explicit Encoder(const BuildState& state) : state_(state) {}

  ByteVector encode() {
    ByteWriter head;
    write_head(head);
    ByteWriter body;
    write_body(body);
    ByteWriter out;
    out.bytes(as_bytes(kStateMagic));
    out.u16(kStateVersion);
    out.u16(0);
    out.u32(0);
    put(out, hash_bytes(head.view()));
    put(out, hash_bytes(body.view()));
    out.u64(head.size());
    out.u64(body.size());
    out.bytes(head.view());
    out.bytes(body.view());
    return out.release();
  }

 private:
  void write_head(ByteWriter& out) const {
    out.text(state_.tool);
    out.text(state_.compressor);
    out.varint(state_.folders.size());
    for (const StateFolder& folder : state_.folders) {
      out.text(folder.path.text());
      out.varint(folder.inputs.size());
      for (const StateInput& input : folder.inputs) write_input(out, input);
    }
    write_output(out, state_.report);
    out.varint(state_.targets.size());
    for (const StateTarget& target : state_.targets) write_target(out, target);
  }

  static void write_input(ByteWriter& out, const StateInput& input) {
    out.text(input.name);
    auto flags = static_cast<std::uint8_t>(input.use);
    if (input.is_settled) flags |= kSettled;
    if (input.stamp.exists) flags |= kExists;
    flags =
        static_cast<std::uint8_t>(flags | (static_cast<unsigned>(input.stamp.kind) << kKindShift));
    out.u8(flags);
    if (input.stamp.exists) {
      out.varint(input.stamp.size_bytes);
      out.i64(input.stamp.modified_ns);
      out.i64(input.stamp.changed_ns);
      out.u64(input.stamp.identity);
    }
    if (input.use == InputUse::whole) put(out, input.hash);
  }

  static void write_output(ByteWriter& out, const StateOutput& output) {
    out.text(output.path);
    out.varint(output.size_bytes);
    out.i64(output.modified_ns);
    out.u64(output.identity);
  }

  static void write_target(ByteWriter& out, const StateTarget& target) {
    out.u8(target.target == Target::client ? 0 : 1);
    out.u8(target.layout == Layout::shared ? 0 : 1);
    out.u8(static_cast<std::uint8_t>(target.level));
    out.text(target.compression);
    out.u8(target.is_current ? 1 : 0);
    out.u8(target.has_old_blocks ? 1 : 0);
    out.bytes(target.signer);
    out.text(target.variants);
    const BuildTotals& totals = target.totals;
    for (const std::uint64_t number :
         {totals.prefab_bundles, totals.shared_bundles, totals.source_bytes, totals.plain_bytes,
          totals.file_bytes, totals.duplicate_bytes_avoided}) {
      out.varint(number);
    }
    put(out, totals.fingerprint);
    write_dictionaries(out, target.dictionaries);
    out.varint(target.outputs.size());
    for (const StateOutput& output : target.outputs) write_output(out, output);
  }

  static void write_dictionaries(ByteWriter& out,
                                 const std::vector<StateDictionary>& dictionaries) {
    out.varint(dictionaries.size());
    for (const StateDictionary& dictionary : dictionaries) {
      out.u8(static_cast<std::uint8_t>(dictionary.kind));
      put(out, dictionary.hash);
      out.varint(dictionary.sample_bytes);
      out.varint(dictionary.saved_bytes);
    }
  }

  void write_body(ByteWriter& out) const {
    out.varint(state_.assets.size());
    for (const StateName& asset : state_.assets) {
      out.bytes(asset.guid.bytes());
      out.text(asset.path);
    }
    out.varint(state_.facts.size());
    for (const CookFact& fact : state_.facts) {
      out.u8(static_cast<std::uint8_t>(fact.question.kind));
      out.bytes(fact.question.guid.bytes());
      out.text(fact.question.text);
      put(out, fact.answer);
    }
    put(out, state_.dictionaries.key);
    write_dictionaries(out, state_.dictionaries.all);
    write_indices(out, state_.dictionaries.samples);
    write_indices(out, state_.dictionaries.facts);
    for (const StateTarget& target : state_.targets) {
      out.varint(target.bundles.size());
      for (const StateBundle& bundle : target.bundles) write_bundle(out, bundle);
    }
    write_facts(out, state_);
  }

  static void write_bundle(ByteWriter& out, const StateBundle& bundle) {
    out.u8(static_cast<std::uint8_t>(bundle.name.kind));
    out.bytes(std::as_bytes(std::span(bundle.name.bytes)));
    out.bytes(bundle.prefab.bytes());
    put(out, bundle.hash);
    out.varint(bundle.file_bytes);
    out.varint(bundle.plain_bytes);
    out.varint(bundle.source_bytes);
    out.varint(bundle.assets.size());
    for (const StateAsset& asset : bundle.assets) {
      out.varint(asset.asset);
      out.varint(asset.plain_bytes);
    }
    write_indices(out, bundle.facts);
  }

  const BuildState& state_;
};

class Decoder {
 public:
  explicit Decoder(Bytes bytes) : in_(bytes) {}

  bool read_head(BuildState& state) {
    state.tool = in_.text();
    state.compressor = in_.text();
    state.folders.resize(in_.count(2));
    for (StateFolder& folder : state.folders) {
      folder.path = in_.path();
      folder.inputs.resize(in_.count(2));
      for (StateInput& input : folder.inputs) read_input(input);
      if (!is_sorted(folder.inputs, &StateInput::name)) in_.fail();
      if (in_.failed()) return false;
    }
    if (!is_sorted(state.folders, &StateFolder::path)) in_.fail();
    read_output(state.report);
    state.targets.resize(in_.count(1));
    if (state.targets.size() > 2) in_.fail();
    for (StateTarget& target : state.targets) read_target(target);
    if (!is_sorted(state.targets, &StateTarget::target)) in_.fail();
    return in_.at_end();
  }

  bool read_body(BuildState& state) {
    state.assets.resize(in_.count(17));
    for (StateName& asset : state.assets) {
      asset.guid = in_.guid();
      asset.path = in_.text();
    }
    state.facts.resize(in_.count(34));
    for (CookFact& fact : state.facts) {
      const std::uint8_t kind = in_.u8();
      if (kind < static_cast<unsigned>(kFirstQuestionKind) ||
          kind > static_cast<unsigned>(kLastQuestionKind)) {
        in_.fail();
      }
      fact.question.kind = static_cast<CookQuestionKind>(kind);
      fact.question.guid = in_.guid();
      fact.question.text = in_.text();
      fact.answer = in_.hash();
    }
    if (!is_sorted(state.assets, &StateName::guid)) in_.fail();
    if (std::ranges::adjacent_find(state.facts, std::ranges::greater_equal{}) !=
        state.facts.end()) {
      in_.fail();
    }
    state.dictionaries.key = in_.hash();
    read_dictionaries(state.dictionaries.all);
    in_.read_indices(state.dictionaries.samples, state.assets.size());
    in_.read_indices(state.dictionaries.facts, state.facts.size());
    for (StateTarget& target : state.targets) {
      target.bundles.resize(in_.count(50));
      for (StateBundle& bundle : target.bundles) {
        read_bundle(bundle, state);
        if (in_.failed()) return false;
      }
      if (!is_sorted(target.bundles, &StateBundle::name)) in_.fail();
    }
    read_facts(in_, state);
    return in_.at_end();
  }

 private:
  void read_input(StateInput& input) {
    input.name = in_.text();
    const std::uint8_t flags = in_.u8();
    const unsigned kind = flags >> kKindShift;
    const unsigned use = flags & kUseMask;
    if (kind > static_cast<unsigned>(FileKind::other) || use > 2) return in_.fail();
    // An invalid name would refer to another folder.
    if (input.name.find('/') != std::string::npos || input.name.find('\0') != std::string::npos ||
        input.name == "." || input.name == "..") {
      return in_.fail();
    }
    input.use = static_cast<InputUse>(use);
    input.is_settled = (flags & kSettled) != 0;
    input.stamp.exists = (flags & kExists) != 0;
    input.stamp.kind = static_cast<FileKind>(kind);
    if (input.stamp.exists) {
      input.stamp.size_bytes = in_.varint();
      input.stamp.modified_ns = in_.i64();
      input.stamp.changed_ns = in_.i64();
      input.stamp.identity = in_.u64();
    }
    if (input.use == InputUse::whole) input.hash = in_.hash();
  }

  void read_output(StateOutput& output) {
    output.path = in_.path().text();
    output.size_bytes = in_.varint();
    output.modified_ns = in_.i64();
    output.identity = in_.u64();
  }

  void read_target(StateTarget& target) {
    target.target = in_.flag() ? Target::server : Target::client;
    target.layout = in_.flag() ? Layout::self_contained : Layout::shared;
    target.level = in_.u8();
    target.compression = in_.text();
    target.is_current = in_.flag();
    target.has_old_blocks = in_.flag();
    const Bytes signer = in_.bytes(target.signer.size());
    if (!in_.failed()) std::ranges::copy(signer, target.signer.begin());
    target.variants = in_.text();
    BuildTotals& totals = target.totals;
    for (std::uint64_t* number :
         {&totals.prefab_bundles, &totals.shared_bundles, &totals.source_bytes, &totals.plain_bytes,
          &totals.file_bytes, &totals.duplicate_bytes_avoided}) {
      *number = in_.varint();
    }
    totals.fingerprint = in_.hash();
    read_dictionaries(target.dictionaries);
    target.outputs.resize(in_.count(18));
    for (StateOutput& output : target.outputs) read_output(output);
    if (!is_sorted(target.outputs, &StateOutput::path)) in_.fail();
  }

  void read_bundle(StateBundle& bundle, const BuildState& state) {
    const std::uint8_t kind = in_.u8();
    if (kind >= kBundleFolders.size()) in_.fail();
    bundle.name.kind = static_cast<BundleKind>(kind);
    const Bytes name = in_.bytes(bundle.name.bytes.size());
    if (!in_.failed()) std::memcpy(bundle.name.bytes.data(), name.data(), name.size());
    bundle.prefab = in_.guid();
    bundle.hash = in_.hash();
    bundle.file_bytes = in_.varint();
    bundle.plain_bytes = in_.varint();
    bundle.source_bytes = in_.varint();
    bundle.assets.resize(in_.count(2));
    for (StateAsset& asset : bundle.assets) {
      asset.asset = in_.index(state.assets.size());
      asset.plain_bytes = in_.varint();
    }
    in_.read_indices(bundle.facts, state.facts.size());
    if (!is_sorted(bundle.assets, &StateAsset::asset)) in_.fail();
  }

  void read_dictionaries(std::vector<StateDictionary>& dictionaries) {
    dictionaries.resize(in_.count(19));
    for (StateDictionary& dictionary : dictionaries) {
      const std::uint8_t kind = in_.u8();
      if (kind < static_cast<unsigned>(EntryKind::object) ||
          kind > static_cast<unsigned>(EntryKind::text)) {
        in_.fail();
      }
      dictionary.kind = static_cast<EntryKind>(kind);
      dictionary.hash = in_.hash();
      dictionary.sample_bytes = in_.varint();
      dictionary.saved_bytes = in_.varint();
    }
    if (!is_sorted(dictionaries, &StateDictionary::kind)) in_.fail();
  }

  StateReader in_;
};

tl::unexpected<Error> bad(const char* what) {
  return fail(ErrorCode::malformed, std::string("not the state of a build: ") + what);
}

ContentHash hash_at(Bytes header, std::size_t offset) {
  ContentHash hash;
  std::memcpy(hash.bytes.data(), header.data() + offset, kContentHashBytes);
  return hash;
}

struct Sizes {
  std::uint64_t head = 0;
  std::uint64_t body = 0;
};

Result<Sizes> sizes_of(Bytes header) {
  if (header.size() < kStateHeaderBytes) return fail(ErrorCode::truncated, "a state is truncated");
  ByteReader in(header.first(kStateHeaderBytes));
  if (as_text(in.bytes(kStateMagic.size())) != kStateMagic) return bad("the magic number is wrong");
  if (in.u16() != kStateVersion) {
    return fail(ErrorCode::unsupported_version, "the state is of another version");
  }
  if (in.u16() != 0 || in.u32() != 0) return bad("reserved fields are not zero");
  (void)in.bytes(2 * kContentHashBytes);
  Sizes sizes;
  sizes.head = in.u64();
  sizes.body = in.u64();
  if (sizes.head > kStateBytesMax || sizes.body > kStateBytesMax) return bad("it is too large");
  return sizes;
}

}  // namespace

const StateTarget* BuildState::find(Target target) const {
  const auto found = std::ranges::find(targets, target, &StateTarget::target);
  return found == targets.end() ? nullptr : &*found;
}

const StateInput* BuildState::find(const AssetPath& path) const {
  const auto folder = std::ranges::lower_bound(folders, path.parent(), {}, &StateFolder::path);
  if (folder == folders.end() || folder->path != path.parent()) return nullptr;
  const std::string_view name = path.empty() ? std::string_view() : path.name();
  const auto input = std::ranges::lower_bound(folder->inputs, name, {}, &StateInput::name);
  return input == folder->inputs.end() || input->name != name ? nullptr : &*input;
}

InputNumbers::InputNumbers(const BuildState& state) : state_(state), first_{0} {
  for (const StateFolder& folder : state.folders) {
    first_.push_back(first_.back() + static_cast<std::uint32_t>(folder.inputs.size()));
  }
}

std::optional<std::uint32_t> InputNumbers::of(const AssetPath& path) const {
  const StateInput* const input = state_.find(path);
  if (input == nullptr) return std::nullopt;
  const auto folder =
      std::ranges::lower_bound(state_.folders, path.parent(), {}, &StateFolder::path);
  const auto index = static_cast<std::uint32_t>(input - folder->inputs.data());
  return first_[static_cast<std::size_t>(folder - state_.folders.begin())] + index;
}

std::size_t InputNumbers::folder_of(std::uint32_t number) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
}

const StateInput& InputNumbers::at(std::uint32_t number) const {
  const std::size_t folder = folder_of(number);
  return state_.folders[folder].inputs[number - first_[folder]];
}

AssetPath InputNumbers::path_of(std::uint32_t number) const {
  const StateFolder& folder = state_.folders[folder_of(number)];
  const std::string& name = at(number).name;
  return name.empty() ? folder.path : folder.path.child(name);
}

ByteVector encode_state(const BuildState& state) { return Encoder(state).encode(); }

Result<std::uint64_t> state_head_bytes(Bytes header) {
  const auto sizes = sizes_of(header);
  if (!sizes) return fail(sizes.error());
  return kStateHeaderBytes + sizes.value().head;
}

Result<BuildState> decode_state_head(Bytes bytes) {
  const auto sizes = sizes_of(bytes);
  if (!sizes) return fail(sizes.error());
  if (bytes.size() - kStateHeaderBytes < sizes.value().head) {
    return fail(ErrorCode::truncated, "a state is truncated");
  }
  const Bytes head = bytes.subspan(kStateHeaderBytes, static_cast<std::size_t>(sizes.value().head));
  if (hash_bytes(head) != hash_at(bytes, kHeadHashAt)) {
    return fail(ErrorCode::hash_mismatch, "the head of a state is damaged");
  }
  BuildState state;
  if (!Decoder(head).read_head(state)) return bad("its head cannot be read");
  return state;
}

Result<BuildState> decode_state(Bytes bytes) {
  auto state = decode_state_head(bytes);
  if (!state) return state;
  const Sizes sizes = sizes_of(bytes).value();
  if (bytes.size() != kStateHeaderBytes + sizes.head + sizes.body) {
    return fail(ErrorCode::truncated, "the size of a state differs from the sizes in its header");
  }
  const Bytes body = bytes.subspan(static_cast<std::size_t>(kStateHeaderBytes + sizes.head));
  if (hash_bytes(body) != hash_at(bytes, kBodyHashAt)) {
    return fail(ErrorCode::hash_mismatch, "the body of a state is damaged");
  }
  if (!Decoder(body).read_body(state.value())) return bad("its body cannot be read");
  return state;
}

std::optional<BuildState> read_state_head(const FileReader& output) {
  const AssetPath path = AssetPath().child(kStateName);
  ByteVector buffer;
  const auto header = output.read(path, 0, kStateHeaderBytes, buffer);
  if (!header) return std::nullopt;
  const auto size = state_head_bytes(header.value());
  if (!size) return std::nullopt;
  const auto bytes = output.read(path, 0, size.value(), buffer);
  if (!bytes) return std::nullopt;
  auto state = decode_state_head(bytes.value());
  if (!state) return std::nullopt;
  return std::move(state).value();
}

std::optional<BuildState> read_state(const FileReader& output) {
  ByteVector buffer;
  const auto bytes = read_whole(output, AssetPath().child(kStateName), kStateBytesMax, buffer);
  if (!bytes) return std::nullopt;
  auto state = decode_state(bytes.value());
  if (!state) return std::nullopt;
  return std::move(state).value();
}

}  // namespace muster
