// Files that are compressed already.
#pragma once

#include "registry/base/bytes.h"

namespace muster {

/// Whether a file's content says that it is compressed, in a way that leaves zstd nothing: pictures
/// (PNG, JPEG, GIF, WebP, AVIF, HEIC), sound and video (Ogg, MP3, FLAC, AAC in MP4, MP4, WebM),
/// archives (zip, gzip, zstd, xz, bzip2, 7z, LZ4), KTX 2 with supercompression, WOFF and WOFF 2.
/// Its first bytes tell, not its name.
bool is_compressed_media(Bytes content);

}  // namespace muster
