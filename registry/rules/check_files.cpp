// What is wrong with files and sidecars, whoever uses them.
#include "registry/rules/validate.h"

namespace muster {
namespace {

struct IndexRule {
  std::string_view rule;
  std::string message;
};

IndexRule describe(const IndexProblem& problem) {
  using Kind = IndexProblem::Kind;
  const std::string guid = problem.guid.to_string();
  switch (problem.kind) {
    case Kind::orphan_meta:
      return {"orphan-meta", "there is no " + problem.detail + " beside this sidecar"};
    case Kind::missing_meta:
      return {"missing-meta", "this " + problem.detail + " has no sidecar"};
    case Kind::duplicate_guid:
      return {"duplicate-guid", "guid " + guid + " also belongs to '" + problem.other.text() + "'"};
    case Kind::malformed_guid:
      return {"malformed-guid", problem.detail};
    case Kind::upper_case_guid:
      return {"upper-case-guid", "guid " + guid + " is upper case here"};
    case Kind::placeholder_guid:
      return {"placeholder-guid", "guid " + guid + " looks typed by hand"};
    case Kind::merge_conflict:
      return {"merge-conflict", "conflict markers in a sidecar"};
    case Kind::lfs_pointer:
      return {"lfs-pointer", "a Git LFS pointer in place of a sidecar"};
    case Kind::case_clash:
      return {"case-clash", "differs from '" + problem.other.text() + "' only in case"};
    case Kind::outside_link:
      return {"link-outside", "this link is not followed"};
    case Kind::link_circle:
      return {"link-outside", "this link leads back to a folder above it and is not followed"};
    case Kind::unreadable:
      return {"unreadable-file", problem.detail};
  }
  return {"unreadable-file", problem.detail};
}

}  // namespace

std::string_view read_error_rule(const Error& error) {
  return error.code == ErrorCode::limit_exceeded ? "file-too-large" : "unreadable-file";
}

void check_files(const Project& project, Findings& findings) {
  for (const IndexProblem& problem : project.index().problems()) {
    IndexRule found = describe(problem);
    Finding& finding =
        findings.add(found.rule, {problem.path, problem.position}, std::move(found.message));
    if (!problem.other.empty()) finding.related.push_back({{problem.other, {}}, "the other one"});
  }
  for (const ContentProblem& problem : project.graph().problems()) {
    const Asset& asset = project.index().at(problem.asset);
    switch (problem.kind) {
      case ContentProblem::Kind::lfs_pointer:
        findings.add("lfs-pointer", {asset.path, {1, 1}},
                     "a Git LFS pointer in place of the content");
        break;
      case ContentProblem::Kind::binary:
        // Unity keeps some kinds (lighting, terrain, navigation meshes) in binary form always.
        findings
            .add("binary-asset", {asset.path, {}}, "in binary form: its references are not seen")
            .severity = Severity::note;
        break;
      case ContentProblem::Kind::too_large:
        findings.add("file-too-large", {asset.path, {}}, problem.detail);
        break;
      case ContentProblem::Kind::unreadable:
        findings.add("unreadable-file", {asset.path, {}}, problem.detail);
        break;
    }
  }
}

void check_failed_reads(const Project& project, Findings& findings) {
  for (const auto& failures :
       {project.sources().read_failures(), project.scripts().read_failures()}) {
    for (const ReadFailure& failure : failures) {
      findings.add(read_error_rule(failure.error), {project.index().at(failure.asset).path, {}},
                   failure.error.message);
    }
  }
}

}  // namespace muster
