// Whole files of the programs here, from and to the disk.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Reads a file as a whole.
Result<ByteVector> read_file(const std::string& path);
/// The same, decompressed when its name ends in `.zst`. Fails with `malformed` when it is damaged.
Result<ByteVector> read_unpacked(const std::string& path);
/// Writes a file, whole or not at all.
Result<void> write_file(const std::string& path, Bytes bytes);

}  // namespace muster
