"""What starts containers and jobs: compose files, Kubernetes manifests, devcontainer.json and Slurm scripts. The image, built or named,
the variables, what commands install, and whether a GPU is requested."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tfdoctor.ask.builds import dockerfile
from tfdoctor.ask.builds.shell_lines import commands, expanded, installs
from tfdoctor.ask.builds.statements import Environment, Source, Span, Statement, UnreadableError
from tfdoctor.ask.builds.yaml_files import documents, items, mapping, scalar, span
from tfdoctor.base.records import replace

if TYPE_CHECKING:
    from yaml.nodes import Node

_DEEPEST = 20
"""Of a pod's template within a manifest: a CronJob has five levels, an operator's job nine."""


def compose(source: Source) -> tuple[Environment, ...]:
    """One for each service."""
    found: list[Environment] = []
    started = cache(partial(_started, source))  # aliases name one command many times
    for document in documents(source):
        for name, service in mapping(mapping(document).get("services")).items():
            keys = mapping(service)
            built = list(_built(source, keys.get("build")))
            said = built or list(_image(source, keys.get("image")))
            said += _variables(source, keys.get("environment"))
            said += started(keys.get("entrypoint"), keys.get("command"), _last_step(said))
            said.append(_gpu_of_service(source, keys))
            found.append(Environment(source.path, name, tuple(said), "compose"))
    return tuple(found)


def kubernetes(source: Source) -> tuple[Environment, ...]:
    """One for each container, wherever its pod stands in the manifest."""
    found: list[Environment] = []
    started = cache(partial(_started, source))
    for document in documents(source):
        for keys in _containers(document, _DEEPEST):
            said = [*_image(source, keys.get("image")), *_variables(source, keys.get("env"))]
            said += started(keys.get("command"), keys.get("args"), 0)
            said.append(_gpu_of_container(source, keys))
            name = scalar(keys.get("name")) or ""
            found.append(Environment(source.path, name, tuple(said), "kubernetes"))
    return tuple(found)


def _containers(node: Node, deeper: int) -> Iterator[dict[str, Node]]:
    """Each node once: an alias stands for what has been seen."""
    seen, told = set[int](), set[int]()
    waiting = [(node, deeper)]
    while waiting:
        each, left = waiting.pop()
        if id(each) in seen or not left:
            continue
        seen.add(id(each))
        keys = mapping(each)
        for one in (*items(keys.get("initContainers")), *items(keys.get("containers"))):
            if id(one) not in told:
                told.add(id(one))
                yield mapping(one)
        waiting += [(one, left - 1) for one in (*keys.values(), *items(each))]


_SHELL, _SCRIPT = re.compile(r"(?:\S*/)?(?:ba|da|k|z)?sh"), re.compile(r"-[a-z]*c")


def _started(
    source: Source, first: Node | None, second: Node | None, step: int
) -> tuple[Statement, ...]:
    """What the words that start a container install: those of a shell's script, or its own."""
    words = [*_words(first), *_words(second)]
    shell = bool(words) and _SHELL.fullmatch(words[0][0]) is not None
    script = [at for at, (word, _) in enumerate(words, 1) if shell and _SCRIPT.fullmatch(word)]
    if script:
        words = words[script[0] :][:1]
    if not words:
        return ()
    text = words[0][0] if script else shlex.join(word for word, _ in words)
    begin = span(source, words[0][1]).start
    end = max(begin, span(source, words[-1][1]).end)
    found = []
    for each in installs(Source("", text), text, 0, {}, step).statements:
        written = text[each.span.start : each.span.end]
        at = source.text.find(written, begin, end)
        place = source.span(at, at + len(written)) if at >= 0 else source.span(begin, end)
        value = None if each.kind == "option" else each.value  # a file that is only in the image
        found.append(replace(each, span=place, form="", value=value))
    return tuple(found)


def _words(node: Node | None) -> list[tuple[str, Node]]:
    """The words of a list, or of a text as compose takes it apart; none of a text that ends within quotes."""
    text = scalar(node)
    if node is None or text is None:
        return [(word, each) for each in items(node) if (word := scalar(each)) is not None]
    try:
        return [(word, node) for word in shlex.split(text)]
    except ValueError:
        return []


def _last_step(said: Iterable[Statement]) -> int:
    return max((each.step for each in said), default=0)


_AS_WHOLE = ("gpus", "runtime", "devices", "device_requests", "extends", "<<")
"""Keys of a service by which a GPU can come: `runtime: nvidia`, devices by CDI, or another service's keys."""


def _gpu_of_service(source: Source, keys: dict[str, Node]) -> Statement:
    reservations = mapping(
        mapping(mapping(keys.get("deploy")).get("resources")).get("reservations")
    )
    return _gpu_request(
        source, keys, any(each in keys for each in _AS_WHOLE) or "devices" in reservations
    )


def _gpu_of_container(source: Source, keys: dict[str, Node]) -> Statement:
    """A limit of a device plug-in (nvidia.com/gpu, a MIG profile), or a claim."""
    resources = mapping(keys.get("resources"))
    asked = {*mapping(resources.get("limits")), *mapping(resources.get("requests"))}
    return _gpu_request(
        source,
        keys,
        "claims" in resources or any("gpu" in each or "mig-" in each for each in asked),
    )


def _gpu_request(source: Source, keys: dict[str, Node], requested: bool) -> Statement:
    node = keys.get("image") or keys.get("build")
    place = span(source, node) if node is not None else source.span(0, 0)
    return Statement("option", "gpu-request", "yes" if requested else "no", place)


_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"?|(?P<left_out>//[^\n]*|/\*.*?(?:\*/|\Z))', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\\n])*"?|(?P<left_out>,(?=\s*[\]}]))', re.DOTALL)
"""Both take a text in which no string or comment ends in one go."""


def devcontainer(source: Source) -> tuple[Environment, ...]:
    """The image, named or built, and what its commands install once it is made. Raises UnreadableError."""
    plain = source.text
    for left_out in (_COMMENT, _LAST_COMMA):
        plain = left_out.sub(
            lambda found: " " * len(found[0]) if found["left_out"] else found[0], plain
        )
    try:
        document = json.loads(plain.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is no JSON with comments") from error
    if not isinstance(document, dict):
        raise UnreadableError("it is no devcontainer.json")
    said = list(_of_devcontainer(source, document))
    for key in ("containerEnv", "remoteEnv"):
        for name, value in _table(document, key).items():
            said.append(Statement("variable", name, _known(value), _in_json(source, name)))
    requested = _runs_with_gpus(document) or "dockerComposeFile" in document
    said.append(
        Statement("option", "gpu-request", "yes" if requested else "no", _in_json(source, "image"))
    )
    step = _last_step(said)
    for key in ("onCreateCommand", "updateContentCommand", "postCreateCommand"):
        for line in _commands(document.get(key)):
            told = installs(source, line, 0, {}, step)
            said += [replace(each, span=_in_json(source, key), form="") for each in told.statements]
            step = told.step
    return (Environment(source.path, "", tuple(said), "linux"),)


_GPU_OPTION = re.compile(
    r"--gpus(?:=.*)?|--runtime=nvidia|nvidia|--device=nvidia\.com/gpu.*|nvidia\.com/gpu.*"
)
"""As `docker run` takes it: "--gpus all" in one word is no option that it knows."""


def _runs_with_gpus(document: dict[str, Any]) -> bool:
    words = document.get("runArgs")
    options = words if isinstance(words, list) else ()
    named = any(isinstance(each, str) and _GPU_OPTION.fullmatch(each) for each in options)
    return named or bool(_table(document, "hostRequirements").get("gpu"))


def _of_devcontainer(source: Source, document: dict[str, Any]) -> Iterator[Statement]:
    build = _table(document, "build")
    file = build.get("dockerfile") or document.get("dockerFile")
    image = document.get("image")
    if isinstance(file, str):
        target = build.get("target")
        yield from _stage(
            source, file, _table(build, "args").items(), target if isinstance(target, str) else ""
        )
    elif isinstance(image, str):
        yield dockerfile.base(image, _in_json(source, image))


def _table(within: dict[str, Any], name: str) -> dict[str, Any]:
    found = within.get(name)
    return found if isinstance(found, dict) else {}


def _commands(stated: Any) -> Iterator[str]:
    """A command as a line, as a list of words, or several by their names."""
    if isinstance(stated, str):
        yield stated
    elif isinstance(stated, list):
        yield " ".join(shlex.quote(each) for each in stated if isinstance(each, str))
    elif isinstance(stated, dict):
        for each in stated.values():
            yield from _commands(each)


def _in_json(source: Source, text: str) -> Span:
    at = source.text.find(json.dumps(text))
    return source.span(at, at + len(json.dumps(text))) if at >= 0 else source.span(0, 0)


_SBATCH = re.compile(r"^#SBATCH[ \t]+(?P<options>[^\n]*)", re.MULTILINE)
_GPUS = re.compile(
    r"(?:^|\s)(?:--gres[= ]\S*gpu|--gpus(?:-per-\w+)?[= ]|-G[ =]?\d|--tres-per-\w+[= ]\S*gpu)"
)


def slurm(source: Source) -> tuple[Environment, ...]:
    """A batch script: its options stand before the first command, and what its commands install."""
    options = list(_SBATCH.finditer(source.text))
    requested = any(_GPUS.search(each["options"]) for each in options)
    first = options[0] if options else None
    place = source.span(first.start(), first.end()) if first else source.span(0, 0)
    told = installs(source, source.text, 0, {}, 0).statements
    request = Statement("option", "gpu-request", "yes" if requested else "no", place)
    own = (Environment(source.path, "", (*told, request), "slurm"),) if told else ()
    return (*own, *_apptainer(source))


_NV = re.compile(r"--nv(?:ccli)?|--rocm")
_ALWAYS_NV = re.compile(r"\b(?:APPTAINER|SINGULARITY)_(?:NV|NVCCLI|ROCM)=")


def _apptainer(source: Source) -> Iterator[Environment]:
    """The containers that a script starts from images of a registry: without --nv they have no driver of the GPU's."""
    always = _ALWAYS_NV.search(source.text) is not None
    for words in commands(source.text, 0, {}):
        texts = [each.text for each in words]
        programs = [at for at, text in enumerate(texts) if text.rpartition("/")[2] in ("apptainer", "singularity")]  # fmt: skip
        images = [at for at, text in enumerate(texts) if text.startswith("docker://")]
        if programs and images and {"run", "exec", "shell"} & set(texts[programs[0] : images[0]]):
            options = texts[programs[0] : images[0]]
            place = source.span(words[images[0]].start, words[images[0]].end)
            image = dockerfile.base(texts[images[0]].removeprefix("docker://"), place)
            requested = "yes" if always or any(map(_NV.fullmatch, options)) else "no"
            request = Statement("option", "gpu-request", requested, place)
            yield Environment(source.path, "", (image, request), "apptainer")


def _image(source: Source, node: Node | None) -> Iterator[Statement]:
    text = expanded(scalar(node) or "", {})
    if node is not None and text:
        yield dockerfile.base(text, span(source, node))


def _built(source: Source, node: Node | None) -> Iterator[Statement]:
    """What compose builds: `target` or the last stage of the context's Dockerfile."""
    keys = mapping(node)
    context = (scalar(node) or scalar(keys.get("context")) or ".").rstrip("/")
    if node is not None:
        args = ((name, value) for name, value, _ in _pairs(keys.get("args")))
        file = f"{context}/{scalar(keys.get('dockerfile')) or 'Dockerfile'}"
        yield from _stage(source, file, args, scalar(keys.get("target")) or "")


def _stage(
    source: Source, file: str, args: Iterable[tuple[str, Any]], target: str
) -> tuple[Statement, ...]:
    """What one stage of a Dockerfile says, the last one for "", with the arguments that are known; () where there is none."""
    other = source.named(file)
    if other is None:
        return ()
    given = {name: text for name, value in args if (text := _known(value)) is not None}
    try:
        stages = dockerfile.environments(other, given, every=True)
    except UnreadableError:  # which is told of the Dockerfile itself
        return ()
    chosen = [each for each in stages if target.lower() in ("", each.name)]
    return chosen[-1].statements if chosen else ()


def _known(value: Any) -> str | None:
    """A text with the defaults of its variables; None where one without leaves it open."""
    text = expanded(value, {}) if isinstance(value, str) else "$"
    return None if "$" in text else text


def _variables(source: Source, node: Node | None) -> Iterator[Statement]:
    for name, value, place in _pairs(node):
        yield Statement("variable", name, _known(value), span(source, place))


def _pairs(node: Node | None) -> Iterator[tuple[str, str, Node]]:
    """A mapping, a list of "NAME=value", or Kubernetes' list of names and values."""
    for name, stated in mapping(node).items():
        text = scalar(stated)
        if text is not None:
            yield name, text, stated
    for each in items(node):
        keys = mapping(each)
        key, value = scalar(keys.get("name")), scalar(keys.get("value"))
        text = scalar(each)
        if text is not None and "=" in text:
            yield text.partition("=")[0], text.partition("=")[2], each
        elif key and value is not None:
            yield key, value, each
