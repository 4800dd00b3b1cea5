#include "tests/bench/packed_file.h"

#include <memory>

#include <fmt/format.h>
#include <zstd.h>

#include "registry/base/disk_file_system.h"

namespace muster {
namespace {

/// Files are read into memory as a whole.
constexpr std::uint64_t kFileBytesMax = std::uint64_t{4} << 30U;

struct SplitPath {
  std::string folder;
  std::string name;
};

SplitPath split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {.folder = ".", .name = path};
  return {.folder = slash == 0 ? "/" : path.substr(0, slash), .name = path.substr(slash + 1)};
}

Result<ByteVector> decompressed(Bytes packed, const std::string& path) {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  ByteVector out;
  ByteVector chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  while (in.pos < in.size || left != 0) {
    ZSTD_outBuffer to{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(context.get(), &to, &in);
    const bool is_stuck = in.pos == in.size && to.pos == 0 && left != 0;
    if (ZSTD_isError(left) != 0 || is_stuck || out.size() > kFileBytesMax) {
      return fail(ErrorCode::malformed, fmt::format("'{}' is damaged or truncated (zstd)", path));
    }
    out.insert(out.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(to.pos));
  }
  return out;
}

}  // namespace

Result<ByteVector> read_file(const std::string& path) {
  const SplitPath parts = split_path(path);
  const Result<DiskFileSystem> files = DiskFileSystem::open(parts.folder);
  if (!files) return fail(files.error());
  const Result<AssetPath> name = AssetPath::parse(parts.name);
  if (!name) return fail(name.error());
  ByteVector buffer;
  const Result<Bytes> bytes = read_whole(files.value(), name.value(), kFileBytesMax, buffer);
  if (!bytes) return fail(bytes.error());
  return ByteVector(bytes.value().begin(), bytes.value().end());
}

Result<ByteVector> read_unpacked(const std::string& path) {
  auto bytes = read_file(path);
  return bytes && path.ends_with(".zst") ? decompressed(bytes.value(), path) : std::move(bytes);
}

Result<void> write_file(const std::string& path, Bytes bytes) {
  const SplitPath parts = split_path(path);
  Result<DiskFileSystem> files = DiskFileSystem::open(parts.folder);
  if (!files) return fail(files.error());
  const Result<AssetPath> name = AssetPath::parse(parts.name);
  if (!name) return fail(name.error());
  return write_atomically(files.value(), name.value(), bytes);
}

}  // namespace muster
