#include "registry/base/result.h"

namespace muster {

std::string_view to_string(ErrorCode code) {
  using enum ErrorCode;
  switch (code) {
    case invalid_argument:
      return "invalid_argument";
    case not_found:
      return "not_found";
    case already_exists:
      return "already_exists";
    case permission_denied:
      return "permission_denied";
    case no_space:
      return "no_space";
    case io:
      return "io";
    case malformed:
      return "malformed";
    case truncated:
      return "truncated";
    case unsupported_version:
      return "unsupported_version";
    case limit_exceeded:
      return "limit_exceeded";
    case hash_mismatch:
      return "hash_mismatch";
    case busy:
      return "busy";
    case cancelled:
      return "cancelled";
    case timed_out:
      return "timed_out";
    case unsupported:
      return "unsupported";
  }
  return "unknown";
}

}  // namespace muster
