#include "registry/model/project.h"

#include <utility>

#include "registry/model/stripping.h"

namespace muster {

Project::Project(const FileReader& files, unsigned jobs) : files_(files), jobs_(jobs) {}

Project::~Project() = default;

const Stripping& Project::stripping(Target target) const {
  const std::lock_guard lock(mutex_);
  auto& known = stripping_[target_index(target)];
  if (known == nullptr) known = std::make_unique<const Stripping>(*this, target, jobs_);
  return *known;
}

Result<std::unique_ptr<Project>> Project::open(
    const FileReader& files, unsigned jobs, const std::stop_token& stop, const Progress& progress,
    const std::optional<std::vector<VariantWish>>& wishes, FileFactCache* fact_cache) {
  std::unique_ptr<Project> project(new Project(files, jobs));
  auto config = load_config(files);
  if (!config) return fail(config.error());
  project->config_ = std::move(config).value();
  auto classes = declared_classes(project->config_);
  if (!classes) return fail(classes.error());
  auto index = build_asset_index(files, project->config_, jobs, stop, progress, fact_cache);
  if (!index) return fail(index.error());
  project->index_ = std::move(index).value();
  project->variants_ = Variants(project->config_.axes, project->index_);
  if (wishes) {
    auto choice = choose_for_build(project->config_.axes, *wishes);
    if (!choice) return fail(choice.error());
    project->choice_ = std::move(choice).value();
    settle_variants(project->choice_, project->index_, project->variants_);
  }
  auto graph =
      scan_references(files, project->index_, jobs, stop, progress, project->variants_, fact_cache);
  if (!graph) return fail(graph.error());
  project->graph_ = std::move(graph).value();
  project->packages_ = std::make_unique<Packages>(files);
  project->scripts_ = std::make_unique<Scripts>(files, project->index_);
  project->sources_ = std::make_unique<SourceCache>(files, project->index_);
  project->prefabs_ = std::make_unique<PrefabFlattener>(*project->sources_, *project->scripts_);
  progress.begin("reading the registries", 0);
  project->model_ = build_registry_model(*project, std::move(classes).value());
  return project;
}

std::string class_of_asset(const Project& project, AssetNumber asset) {
  const std::string& plain = project.sources().plain_class(asset);
  if (!plain.empty()) return plain;
  const SourceFile& source = project.sources().get(asset);
  if (!source.good() || source.tree.documents.empty()) return {};
  const yaml::NodeIndex fields = source.fields_of(source.document_of(0));
  if (source.dialect == yaml::Dialect::plain) return {};
  const auto script = yaml::reference_at(source.tree, source.tree.find(fields, "m_Script"));
  if (!script) return {};
  std::string name = project.scripts().class_of(script.value().guid);
  if (!name.empty()) return name;
  const std::string_view identifier = source.tree.scalar_at(fields, "m_EditorClassIdentifier");
  return std::string(identifier.substr(identifier.find_last_of(".:") + 1));
}

}  // namespace muster
