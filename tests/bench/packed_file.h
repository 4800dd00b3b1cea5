// Reads and writes whole files for the programs in this folder.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Reads a whole file.
Result<ByteVector> read_file(const std::string& path);
/// Reads a whole file, and decompresses it if its name ends in `.zst`. Fails with `malformed` if
/// the compressed file is damaged.
Result<ByteVector> read_unpacked(const std::string& path);
/// Writes a file completely or not at all.
Result<void> write_file(const std::string& path, Bytes bytes);

}  // namespace muster
