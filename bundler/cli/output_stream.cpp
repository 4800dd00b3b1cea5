#include "bundler/cli/output_stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace muster::cli {

OutputStream::OutputStream(int descriptor) : std::ostream(nullptr), buffer_(descriptor) {
  rdbuf(&buffer_);
}

OutputStream::Buffer::Buffer(int descriptor) : descriptor_(descriptor) {
  setp(waiting_.data(), waiting_.data() + waiting_.size());
}

int OutputStream::Buffer::sync() {
  const char* next = pbase();
  while (next < pptr() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
    if (written >= 0) {
      next += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(waiting_.data(), waiting_.data() + waiting_.size());
  return error_ == 0 ? 0 : -1;
}

OutputStream::Buffer::int_type OutputStream::Buffer::overflow(int_type next) {
  if (sync() != 0) return traits_type::eof();
  return traits_type::eq_int_type(next, traits_type::eof())
             ? traits_type::not_eof(next)
             : sputc(traits_type::to_char_type(next));
}

}  // namespace muster::cli
