// PhysFS with a zip, as a peer for reading and loading. This peer is used if PhysFS is installed.
#pragma once

#ifdef MUSTER_PHYSFS

#include <physfs.h>
#include <zlib.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "tests/support/temporary_folder.h"

namespace muster {

/// One file of a zip, in its stored form.
struct ZipMember {
  std::string path;
  ByteVector packed;
  std::size_t plain_bytes = 0;
  std::uint32_t checksum = 0;
  bool is_deflated = false;
};

/// The checksum of a file's plain bytes in a zip.
inline std::uint32_t zip_checksum(Bytes plain) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(plain.data()), plain.size()));
}

inline ZipMember stored_member(const std::string& path, Bytes plain) {
  return {path, {plain.begin(), plain.end()}, plain.size(), zip_checksum(plain), false};
}

/// Deflates at zlib's default level. Stores the bytes uncompressed if the result is not smaller, as
/// `zip` does.
inline ZipMember deflated_member(const std::string& path, Bytes plain) {
  ByteVector packed(compressBound(static_cast<uLong>(plain.size())));
  z_stream stream{};
  // Without the zlib header, which zips do not have.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::runtime_error("no memory for zlib");
  }
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_done) throw std::runtime_error("zlib cannot deflate " + path);
  if (packed.size() >= plain.size()) return stored_member(path, plain);
  packed.shrink_to_fit();
  return {path, std::move(packed), plain.size(), zip_checksum(plain), true};
}

enum class ZipStorage : std::uint8_t { file, memory };

/// Mounts a zip of these members while it exists. PhysFS has global state, so only one may exist at
/// a time.
class MountedZip {
 public:
  explicit MountedZip(std::span<const ZipMember> members, ZipStorage storage = ZipStorage::file)
      : zip_(zip_of(members)) {
    bool is_mounted = PHYSFS_init("muster_bench") != 0;
    if (storage == ZipStorage::file) {
      folder_.put("payload.zip", as_text(zip_));
      zip_ = {};
      is_mounted =
          is_mounted && PHYSFS_mount((folder_.path() + "/payload.zip").c_str(), "/", 1) != 0;
    } else {
      is_mounted = is_mounted && PHYSFS_mountMemory(zip_.data(), zip_.size(), nullptr,
                                                    "payload.zip", "/", 1) != 0;
    }
    if (!is_mounted) throw std::runtime_error("PhysFS cannot mount the zip");
  }
  ~MountedZip() { PHYSFS_deinit(); }
  MountedZip(const MountedZip&) = delete;
  MountedZip& operator=(const MountedZip&) = delete;

  /// `buffer` grows and never shrinks.
  Bytes read(const std::string& path, ByteVector& buffer) const {
    PHYSFS_File* const file = PHYSFS_openRead(path.c_str());
    if (file == nullptr) throw std::runtime_error("PhysFS has no " + path);
    const auto size = static_cast<std::size_t>(PHYSFS_fileLength(file));
    if (buffer.size() < size) buffer.resize(size);
    const auto got = PHYSFS_readBytes(file, buffer.data(), size);
    PHYSFS_close(file);
    if (got != static_cast<PHYSFS_sint64>(size)) throw std::runtime_error("PhysFS: " + path);
    return Bytes(buffer).first(size);
  }

 private:
  static void append(ByteVector& zip, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) zip.push_back(static_cast<std::byte>(value >> (8 * i)));
  }

  // The common part of the local header and the directory's record.
  static void append_entry(ByteVector& zip, const ZipMember& member) {
    append(zip, 20, 2);  // Version needed; then flags, method, time, date, checksum.
    append(zip, 0, 2);
    append(zip, member.is_deflated ? 8 : 0, 2);
    append(zip, 0, 4);
    append(zip, member.checksum, 4);
    append(zip, member.packed.size(), 4);
    append(zip, member.plain_bytes, 4);
    append(zip, member.path.size(), 2);
    append(zip, 0, 2);  // Extra field.
  }

  static ByteVector zip_of(std::span<const ZipMember> members) {
    ByteVector zip;
    ByteVector directory;
    for (const ZipMember& member : members) {
      const Bytes name = as_bytes(member.path);
      append(directory, 0x02014B50, 4);
      append(directory, 20, 2);
      append_entry(directory, member);
      append(directory, 0, 10);  // Comment, disk, attributes.
      append(directory, zip.size(), 4);
      directory.insert(directory.end(), name.begin(), name.end());
      append(zip, 0x04034B50, 4);
      append_entry(zip, member);
      zip.insert(zip.end(), name.begin(), name.end());
      zip.insert(zip.end(), member.packed.begin(), member.packed.end());
    }
    const std::size_t directory_at = zip.size();
    zip.insert(zip.end(), directory.begin(), directory.end());
    append(zip, 0x06054B50, 4);
    append(zip, 0, 4);
    append(zip, members.size(), 2);
    append(zip, members.size(), 2);
    append(zip, directory.size(), 4);
    append(zip, directory_at, 4);
    append(zip, 0, 2);
    return zip;
  }

  TemporaryFolder folder_;
  ByteVector zip_;  ///< Mounted from this memory.
};

}  // namespace muster

#endif
