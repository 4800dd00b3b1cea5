#include "bundler/patch/patch_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <zstd.h>

#include "bundler/patch/build_side.h"
#include "bundler/patch/delta_codec.h"
#include "bundler/patch/patch_layout.h"

namespace muster {

using namespace layout::patch;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

tl::unexpected<Error> malformed(const char* what) {
  return fail(ErrorCode::malformed, std::string("the patch is invalid: ") + what);
}

struct Header {
  std::uint64_t program_stored_bytes = 0;
  std::uint64_t program_plain_bytes = 0;
  std::uint32_t zstd_version = 0;
  std::uint32_t flags = 0;
};

Result<Header> read_header(Bytes bytes) {
  if (bytes.size() < header::kBytes) {
    return fail(ErrorCode::truncated, "it is too short for a patch");
  }
  if (!std::ranges::equal(bytes.first(kMagic.size()), std::as_bytes(std::span(kMagic)))) {
    return fail(ErrorCode::malformed, "it is not a patch of muster");
  }
  ByteReader reader(bytes.subspan(header::kVersionAt));
  const std::uint16_t version = reader.u16();
  if (version != kVersion) {
    return fail(ErrorCode::unsupported_version,
                "the patch is of version " + std::to_string(version) + ", this muster reads " +
                    std::to_string(kVersion));
  }
  Header head;
  const bool is_clear = reader.u16() == 0 && reader.u32() == 0;
  const Bytes hash = reader.bytes(ContentHash().bytes.size());
  const std::uint64_t file_bytes = reader.u64();
  head.program_stored_bytes = reader.u64();
  head.program_plain_bytes = reader.u64();
  head.zstd_version = reader.u32();
  head.flags = reader.u32();
  if (file_bytes > bytes.size()) {
    return fail(ErrorCode::truncated, "the patch is truncated: copy it again");
  }
  if (file_bytes < bytes.size()) return malformed("bytes after its end");
  const ContentHash is = hash_bytes(bytes.subspan(header::kHashedFrom));
  if (!std::ranges::equal(hash, std::as_bytes(std::span(is.bytes)))) {
    return fail(ErrorCode::hash_mismatch, "the patch is damaged: get it again");
  }
  if ((head.flags & ~kRecompresses) != 0 || !is_clear) return malformed("reserved bits");
  return head;
}

// Parses a table of loose files: known paths in the fixed order, each at most once.
Result<std::vector<PatchFile>> read_files(ByteReader& program, bool is_new) {
  const std::vector<AssetPath> known = loose_file_paths();
  static_assert(kMaxLooseFiles == 5);
  std::vector<PatchFile> files;
  const std::uint64_t count = program.varint();
  if (count > known.size() + kMaxDictionaries) return malformed("the number of its files");
  auto next = known.begin();
  for (std::uint64_t i = 0; i < count; ++i) {
    PatchFile file;
    const std::string path(program.text());
    next =
        std::find_if(next, known.end(), [&](const AssetPath& each) { return each.text() == path; });
    if (next == known.end()) {
      const bool is_next = files.empty() || !is_dictionary_path(files.back().path.text()) ||
                           files.back().path.text() < path;
      if (!is_dictionary_path(path) || !is_next) return malformed("a file that no build has");
      file.path = AssetPath::parse(path).value();
    } else {
      file.path = *next++;
    }
    file.bytes = program.varint();
    const Bytes hash = program.bytes(file.hash.bytes.size());
    if (is_new) {
      file.has_prefix = program.u8() != 0;
      file.frame_bytes = program.varint();
    }
    if (program.failed() || (is_new && !can_hold(file.frame_bytes, file.bytes)) ||
        file.bytes > layout::catalog::kMaxFileBytes) {
      return malformed("a file of the build");
    }
    std::memcpy(file.hash.bytes.data(), hash.data(), hash.size());
    files.push_back(std::move(file));
  }
  return files;
}

void write_files(ByteWriter& program, const std::vector<PatchFile>& files, bool is_new) {
  program.varint(files.size());
  for (const PatchFile& file : files) {
    program.text(file.path.text());
    program.varint(file.bytes);
    program.bytes(std::as_bytes(std::span(file.hash.bytes)));
    if (!is_new) continue;
    program.u8(file.has_prefix ? 1 : 0);
    program.varint(file.frame_bytes);
  }
}

}  // namespace

Result<Patch> read_patch(Bytes bytes) {
  const auto head = read_header(bytes);
  if (!head) return fail(head.error());
  const Bytes rest = bytes.subspan(header::kBytes);
  const std::uint64_t stored_bytes = head.value().program_stored_bytes;
  const std::uint64_t plain_bytes = head.value().program_plain_bytes;
  if (stored_bytes > rest.size() || !can_hold(stored_bytes, plain_bytes)) {
    return malformed("the size of its program");
  }
  if (plain_bytes > kMaxProgramBytes) {
    return fail(ErrorCode::limit_exceeded, "the patch's program is larger than a gibibyte");
  }
  Patch patch;
  patch.recompresses = (head.value().flags & kRecompresses) != 0;
  patch.zstd_version = head.value().zstd_version;
  patch.program.resize(static_cast<std::size_t>(plain_bytes));
  patch.data = rest.subspan(static_cast<std::size_t>(stored_bytes));
  DeltaDecoder decoder;
  const Bytes frame = rest.first(static_cast<std::size_t>(stored_bytes));
  if (auto decoded = decoder.decode(frame, {}, patch.program); !decoded) {
    return fail(decoded.error());
  }
  ByteReader program(patch.program);
  auto base = read_files(program, false);
  if (!base) return fail(base.error());
  auto files = read_files(program, true);
  if (!files) return fail(files.error());
  patch.base = std::move(base).value();
  patch.files = std::move(files).value();
  patch.bundles_at = program.position();
  return patch;
}

ByteVector write_patch(const Patch& patch) {
  ByteWriter program;
  write_files(program, patch.base, false);
  write_files(program, patch.files, true);
  program.bytes(patch.program);
  DeltaEncoder encoder;
  const ByteVector frame = encoder.encode(program.view(), {});
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(kMagic)));
  out.u16(kVersion);
  out.u16(0);
  out.u32(0);
  out.u64(0);  // the hash, below
  out.u64(0);
  out.u64(header::kBytes + frame.size() + patch.data.size());
  out.u64(frame.size());
  out.u64(program.size());
  out.u32(patch.zstd_version);
  out.u32(patch.recompresses ? kRecompresses : 0);
  out.bytes(frame);
  out.bytes(patch.data);
  ByteVector file = out.release();
  const ContentHash hash = hash_bytes(Bytes(file).subspan(header::kHashedFrom));
  std::memcpy(file.data() + header::kHashAt, hash.bytes.data(), hash.bytes.size());
  return file;
}

std::string zstd_version_text(std::uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::uint32_t own_zstd_version() { return ZSTD_versionNumber(); }

}  // namespace muster
