// Detects files that are already compressed.
#pragma once

#include "registry/base/bytes.h"

namespace muster {

/// Whether a file's content is already compressed, so that zstd gains nothing: pictures (PNG, JPEG,
/// GIF, WebP, AVIF, HEIC), sound and video (Ogg, MP3, FLAC, AAC in MP4, MP4, WebM), archives (zip,
/// gzip, zstd, xz, bzip2, 7z, LZ4), KTX 2 with supercompression, WOFF and WOFF 2. The first bytes
/// determine the format, not the name.
bool is_compressed_media(Bytes content);

}  // namespace muster
