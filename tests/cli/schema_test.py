#!/usr/bin/env python3
"""Checks output that has a schema, and the printed schemas, with an independent validator.

usage: schema_test.py MUSTER SOURCE_FOLDER

Needs python3-jsonschema and python3-yaml; without them it exits with 77, which ctest counts as
skipped.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import text_project

TIMEOUT_SECONDS = 120

# Plain files of `bad_content` in which an editor underlines errors: (project, file). Every other
# file is not YAML, or is wrong only in combination with other files.
UNDERLINED = {
    ("bad-pool-size", "plain/registries/hitscan_effects.yaml"),
    ("malformed-entry", "plain/registries/hitscan_effects.yaml"),
    ("malformed-type-id", "plain/registries/hitscan_effects.yaml"),
    ("missing-entries", "plain/registries/spatial_effects.yaml"),
    ("missing-entries", "plain/registries/hitscan_effects.yaml"),
    ("missing-entries", "plain/registries/items.yaml"),
    ("unknown-component", "plain/prefabs/barrel.yaml"),
    ("unknown-component-factory", "plain/factories/listed.yaml"),
    ("unknown-component-factory", "plain/factories/mapping.yaml"),
    ("unknown-component-factory", "plain/factories/named.yaml"),
    ("unknown-component-factory", "plain/factories/unbuilt.yaml"),
    ("unknown-component-factory", "plain/prefabs/barrel.yaml"),
    ("unknown-component-factory", "plain/prefabs/crate.yaml"),
    ("unknown-field", "plain/prefabs/crate.yaml"),
    ("unknown-field", "plain/registries/effects.yaml"),
}
PLATFORM_GUID = "82b902277f64b6c96414fc60648ed5d5"
FACTORY_GUID = "5fee320f42c34835a255c95032738311"
# Projects with files that no YAML parser accepts as one document.
UNREADABLE = {"wrong-shape", "yaml-syntax-plain", "yaml-syntax-bytes", "yaml-syntax-unregistered"}

# Texts of muster.yaml. Schema and program must agree on each.
CONFIGS = [
    ("name: game\n", False),
    ("version: 2\n", False),
    ("version: 1\n", True),
    ("version: 1\nfolder: [Assets]\n", False),
    ("version: 1\nfolders: Assets\n", False),
    ("version: 1\nfolders: [Assets]\nname: 404\nexternal_guids:\nclasses:\nbudgets:\n", True),
    ("version: 1\nexternal_guids: [00112233445566778899AABBCCDDEEFF]\n", False),
    ("version: 1\nexternal_guids: [a0112233445566778899aabbccddeeff]\n", True),
    ("version: 1\nclasses_from: [fishnet, unity-netcode, addressables]\n", True),
    ("version: 1\nclasses_from: [mirage]\n", False),
    ("version: 1\nclasses_from: fishnet\n", False),
    ("version: 1\nclasses: [Things]\n", False),
    ("version: 1\nclasses:\n  T:\n    references:\n    - {path: a, targets: [client]}\n", True),
    ("version: 1\nclasses:\n  T:\n    references:\n    - {path: a, targets: [all]}\n", False),
    ("version: 1\nclasses:\n  T:\n    references:\n    - {path: a}\n", False),
    ("version: 1\nclasses:\n  T:\n    references:\n    - {path: a, targets: [client],"
     " role: scene}\n", False),
    ("version: 1\nclasses:\n  T:\n    first_id: 2\n    references:\n"
     "    - {path: a, targets: [server]}\n", False),
    ("version: 1\nclasses:\n  T:\n    colour: red\n    references:\n"
     "    - {path: a, targets: [server]}\n", False),
    ("version: 1\nbudgets:\n- {target: client, bytes: 300 MiB}\n- {kind: [png], bytes: 1}\n", True),
    ("version: 1\nbudgets:\n- {target: client}\n", False),
    ("version: 1\nbudgets:\n- {bytes: plenty}\n", False),
    ("version: 1\nbudgets:\n- {bytes: 1, target: all}\n", False),
]

# Components of a prefab. Schema and `validate` must agree on each.
COMPONENTS = [
    ({"Platform": {"phase": 0.5, "travel": {"y": 2}}}, True),
    ({"Platform": {"phase": 7}}, False),
    ({"Platform": {"phaze": 1}}, False),
    ({"Platform": {"travel": {"x": 0, "w": 3}}}, False),
    ({"GameMode": {"phase": "running", "teamScores": [1, 2]}}, True),
    ({"GameMode": {"phase": 2}}, True),
    ({"GameMode": {"phase": 3}}, False),
    ({"GameMode": {"phase": "asleep"}}, False),
    ({"GameMode": {"teamScores": [1, 2, 3]}}, False),
    ({"GameMode": {"scoreLimit": 3000000000}}, False),
    ({"PresentationOwner": {"variation": 65535}}, True),
    ({"PresentationOwner": {"variation": 65536}}, False),
    ({"PresentationOwner": {"variation": -1}}, False),
    ({"Wobbulator": {"speed": 3}}, True),
]


class Run:
    def __init__(self, muster, source):
        self.muster, self.source = muster, pathlib.Path(source)
        self.failures = []
        self.bad_projects = []

    def check(self, good, what):
        if not good:
            self.failures.append(what)

    def output(self, *arguments, codes=(0,)):
        done = subprocess.run([self.muster, *map(str, arguments)], capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        self.check(done.returncode in codes, f"{arguments}: exit code {done.returncode}")
        return done.stdout.decode()

    def schema(self, *arguments):
        schema = json.loads(self.output("schema", *arguments))
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)


def problems_of(validator, document):
    return [f"{'/'.join(map(str, problem.absolute_path))}: {problem.message[:200]}"
            for problem in validator.iter_errors(document)]


def plain_files(project):
    return [path for path in sorted(project.rglob("*.yaml"))
            if path.name != "muster.yaml" and not path.name.startswith(".")]


def check_sample(run):
    """Checks that an editor underlines nothing in the sample game, but each added mistake."""
    arena = run.source / "content/arena"
    config = run.schema("config")
    run.check(not problems_of(config, yaml.safe_load((arena / "muster.yaml").read_text())),
              "the sample's muster.yaml is underlined")
    content = run.schema("content", arena)
    for path in plain_files(arena):
        found = problems_of(content, yaml.safe_load(path.read_text()))
        run.check(not found, f"{path} is underlined: {found}")
    components = [{"Team": {"teamId": 4}}, "Light"]
    prefab = {"class": "Prefab", "root": {"name": "x", "components": components}}
    run.check(not problems_of(content, prefab), "a good prefab is underlined")
    for wrong in ({"Team": {"taemId": 4}}, {"Team": {"teamId": "blue"}}, 7):
        prefab["root"]["components"] = [wrong]
        run.check(problems_of(content, prefab), f"{wrong} is not underlined")
    level = {"class": "LevelRegistry", "entries": [{"type_id": 70000}]}
    run.check(problems_of(content, level), "a type id beyond the wire is not underlined")


def check_components(run):
    arena = run.source / "content/arena"
    content = run.schema("content", arena)
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder) / "arena"
        shutil.copytree(arena, project)
        for component, good in COMPONENTS:
            prefab = {"class": "Prefab", "root": {"name": "x", "components": [
                {"ReplicatedEntity": {"assetGuid": {"guid": PLATFORM_GUID}}}, component]}}
            run.check(bool(problems_of(content, prefab)) != good,
                      f"the schema is wrong about {component}")
            (project / "plain/replicated/platform.yaml").write_text(json.dumps(prefab))
            # A factory has a list with the same components.
            factory = {"class": "ReplicatedEntityFactory", "guid": {"guid": FACTORY_GUID},
                       "components": [component]}
            run.check(bool(problems_of(content, factory)) != good,
                      f"the schema is wrong about a factory's {component}")
            (project / "plain/factories/spectator.yaml").write_text(yaml.safe_dump(factory))
            found = subprocess.run([run.muster, "validate", project, "--strict"],
                                   capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                                   check=False)
            reported = [name for name in ("platform.yaml:", "spectator.yaml:")
                        if name in found.stdout]
            run.check(good or len(reported) == 2, f"both files must be reported: {found.stdout}")
            run.check(found.returncode == (0 if good else 1),
                      f"validate is wrong about {component}: {found.stdout}")


def check_bad_content(run):
    """Checks that an editor underlines exactly the files in UNDERLINED."""
    config = run.schema("config")
    underlined = set()
    for project in run.bad_projects:
        settings = project / "muster.yaml"
        if settings.exists():
            found = problems_of(config, yaml.safe_load(settings.read_text()))
            run.check(not found, f"{settings} is underlined: {found}")
        files = plain_files(project)
        if not files:
            continue
        if project.name == "unreadable-components":
            run.output("schema", "content", project, codes=(2,))
            continue
        content = run.schema("content", project)
        for path in files:
            try:
                document = yaml.safe_load(path.read_bytes())
            except yaml.YAMLError:
                run.check(project.name in UNREADABLE, f"{path} is not YAML")
                continue
            if problems_of(content, document):
                underlined.add((project.name, str(path.relative_to(project))))
    run.check(underlined == UNDERLINED, f"underlined: {sorted(underlined ^ UNDERLINED)}")


def check_configs(run):
    """Checks that the program and the schema accept the same texts of muster.yaml."""
    config = run.schema("config")
    with tempfile.TemporaryDirectory(prefix="muster-schema-") as folder:
        project = pathlib.Path(folder)
        (project / "Assets").mkdir()
        for text, good in CONFIGS:
            (project / "muster.yaml").write_text(text)
            run.output("list", project, codes=(0,) if good else (2,))
            found = problems_of(config, yaml.safe_load(text))
            run.check((not found) == good, f"schema of {text!r}: {found}")
        for key in config.schema["properties"]:
            (project / "muster.yaml").write_text(f"version: 1\n{key}: []\n" if key != "version"
                                                 else "version: 1\n")
            done = subprocess.run([run.muster, "list", folder], capture_output=True, check=False,
                                  timeout=TIMEOUT_SECONDS)
            run.check(b"unknown key" not in done.stderr, f"'{key}' is unknown to the program")


def check_sarif(run):
    """Checks the SARIF for GitHub of every broken project, with and without a baseline."""
    schema = json.loads((run.source / "tests/cli/sarif.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory(prefix="muster-sarif-") as folder:
        known = pathlib.Path(folder) / "known.json"
        for index, project in enumerate(run.bad_projects):
            report = run.output("validate", project, "--format", "sarif", codes=(0, 1))
            found = problems_of(validator, json.loads(report))
            run.check(not found, f"{project.name}: {found}")
            if index % 8:
                continue
            run.output("validate", project, "--write-baseline", known)
            report = run.output("validate", project, "--baseline", known, "--format", "sarif")
            found = problems_of(validator, json.loads(report))
            run.check(not found, f"{project.name} with a baseline: {found}")


def main():
    run = Run(*map(pathlib.Path.resolve, map(pathlib.Path, sys.argv[1:])))
    with tempfile.TemporaryDirectory(prefix="muster-bad-content-") as folder:
        text_project.unpack(run.source / "tests/golden/bad_content", pathlib.Path(folder) / "bad")
        run.bad_projects = sorted(pathlib.Path(folder).glob("bad/*"))
        run.check(len(run.bad_projects) > 100, f"{len(run.bad_projects)} broken projects")
        for check in (check_sample, check_components, check_bad_content, check_configs,
                      check_sarif):
            check(run)
    for failure in run.failures:
        print(failure)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
