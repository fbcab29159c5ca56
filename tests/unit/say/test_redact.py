"""A report for a ticket holds nothing private and is otherwise the same report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, document
from tfdoctor.apps.assistant.answer import answer
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.model import Fix
from tfdoctor.report.report import Report, report_from_json, report_to_json
from tfdoctor.say.issue_form import issue_form
from tfdoctor.say.pages import render_fragment, render_html, render_markdown
from tfdoctor.say.redact.identity import Identity, is_distinctive
from tfdoctor.say.redact.patterns import SHARED_HOMES
from tfdoctor.say.redact.redactor import Redactor, Values
from tfdoctor.say.redact.report import redacted
from tfdoctor.say.report_view import report_view
from tfdoctor.say.ticket import render_issue_form, render_ticket

NOBODY = Identity()
ALICE = Identity("alice", "/home/alice", "/home/alice", ("node17.cluster.example.org", "node17"))
UUID = "8932f937-d72c-4106-c12f-20bd9faed9f6"
OURS = {"schema_version", "tool", "matrix", "generated_at", "verdict", "code", "severity", "confidence", "role",
        "caused_by", "docs", "passed", "status", "requested", "fact"}  # fmt: skip


FIXED = {
    "name",
    "specifier",
    "expected",
    "commands",
    "cuda",
    "cudnn",
    "nccl",
    "rocm",
    "installed",
    "kind",
}


def redact(document: Any, identity: Identity) -> Any:
    return report_to_json(redacted(report_from_json(document), identity))


def said(text: str, identity: Identity = ALICE, **values: Any) -> str:
    return Redactor(identity, Values(**values)).hide(text)


EXAMPLES = [
    ("/home/alice/venv/bin/python", "~/venv/bin/python"),
    ("LD_LIBRARY_PATH=/home/alice/a:/home/alice", "LD_LIBRARY_PATH=~/a:~"),
    ("/home/alice2 /home/bob/x.", "/home/<user-2> /home/<user-3>/x."),
    ("file:///home/alice/x", "file:///home/<user-1>/x"),
    (
        "/scratch/alice/run and alice_env, not malice",
        "/scratch/<user-1>/run and <user-1>_env, not malice",
    ),
    (r"C:\Users\Bob Smith\x", r"C:\Users\<user-2>\x"),
    ("/mnt/c/Users/bob/x", "/mnt/c/Users/<user-2>/x"),
    ("~bob/x and ~=2.15", "~<user-2>/x and ~=2.15"),
    ("alice@node17: bob@node18.cluster.example.org", "<user-1>@<host-1>: <user-2>@<host-3>"),
    ("NODE17 node17.cluster.example.org", "<host-1> <host-2>"),
    (f"GPU-{UUID} MIG-{UUID} GPU-8932f937", "<gpu-uuid-1> <gpu-uuid-2> <gpu-uuid-3>"),
    (f"MIG-GPU-{UUID}/1/0 {UUID}", "<gpu-uuid-1> <uuid-1>"),
    ("aa:bb:cc:dd:ee:ff 00-1A-2B-3C-4D-5E", "<mac-1> <mac-2>"),
    ("10.0.0.5 10.0.0.5:2222 [0] 10.0.0.6<0>", "<ip-1> <ip-1>:2222 [0] <ip-2><0>"),
    ("fe80::1ff:fe23:4567:890a%eth0", "<ip-1>%eth0"),
    ("ip-10-0-0-5.ec2.internal", "<host-3>"),
    ("serial: 0320718012345", "serial: <gpu-serial-1>"),
    ("http://alice:pw@proxy/x", "http://<secret-1>@<host-3>/x"),
    ("--token=abcd1234 password: hunter2", "--token=<secret-1> password: <secret-2>"),
    ("hf_" + "a" * 30, "<secret-1>"),
]
PRIVATE = [text for text, _ in EXAMPLES]


@pytest.mark.parametrize(("text", "redacted"), EXAMPLES)
def test_what_is_private_is_replaced(text: str, redacted: str) -> None:
    assert said(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "driver 535.104.05.01, cuDNN 8.9.7.29, nvidia-cudnn-cu12==9.3.0.75, >=9.3.0.75,<10.1.2.3",
        "libcudnn.so.9.3.0.75 nvidia_cudnn_cu12-9.3.0.75.dist-info v12.5.1.2 CUDA 12.4.1.1",
        "00000000:3B:00.0 and 0000:3b:00.0 at 12:30:05",
        "std::vector<int> tensorflow::Status a::b ::1 127.0.0.1 0.0.0.0",
        "user@1000.service git@github.com tensorflow@https://www.tensorflow.org/x",
        "GPU-accessible MIG-misused GPU:0",
        "the token was not recognised; a secret: no",
        "/usr/lib/python3/dist-packages /opt/conda/bin sha256 0123456789abcdef0123",
        "/home/linuxbrew/.linuxbrew /Users/Shared/x",
    ],
)
def test_what_is_not_private_stays(text: str) -> None:
    assert said(text) == text


def test_a_rule_that_is_left_out_for_these_texts_has_nothing_to_do_in_them() -> None:
    for text in (*PRIVATE, *(part for whole in PRIVATE for part in whole.split())):
        assert Redactor(ALICE, Values(), [text]).hide(text) == said(text)


def test_a_text_that_is_left_out_among_these_has_nothing_to_hide() -> None:
    texts = [*PRIVATE, *(part for whole in PRIVATE for part in whole.split()), "fpu", "absl-py", ""]
    among = Redactor(ALICE, Values(), texts)
    assert [text for text in texts if among.hide(text) == text and said(text) != text] == []
    assert [among.hide(text) for text in ("fpu", "absl-py", "")] == ["fpu", "absl-py", ""]


@given(
    st.lists(st.sampled_from(PRIVATE), min_size=1, max_size=4),
    st.sampled_from(["", "\u200b", "\x1b[1m"]),
)
def test_a_neighbour_hides_nothing_from_sight(texts: list[str], unseen: str) -> None:
    odd = [unseen.join((text[:half], text[half:])) for text in texts if (half := len(text) // 2)]
    among = Redactor(ALICE, Values(), [*odd, "password:", "at", *texts])
    assert [
        text for text in (*odd, *texts) if among.hide(text) == text and said(text) != text
    ] == []


@pytest.mark.parametrize("name", ["passwords:", "pass\u200bwords:"])
def test_a_secret_in_the_line_below_its_name_is_hidden(name: str) -> None:
    assert (
        Redactor(ALICE, Values(), [name, "  - hunter2horse"]).hide("  - hunter2horse")
        == "  - <secret-1>"
    )


def test_a_version_that_the_report_knows_is_no_address() -> None:
    assert said("12.5.1.2 and 12.5.1.3", versions={"12.5.1.2"}) == "12.5.1.2 and <ip-1>"


@pytest.mark.parametrize(
    "name", ["root", "user", "ubuntu", "data", "python", "ml", "pi", "tensorflow", "gpu", "driver"]
)
def test_ordinary_names_are_replaced_only_where_they_are_names(name: str) -> None:
    me = Identity(name, f"/home/{name}", f"/home/{name}", (f"{name}.lan",))
    text = f"/data/{name}/x: the {name} of {name}-1.2 says {name}"
    assert said(text, me) == text
    assert said(f"/home/{name}/x {name}@{name}", me) == "~/x <user-1>@<host-2>"


def test_a_user_called_like_an_installed_package_does_not_destroy_the_report() -> None:
    assert not is_distinctive("pandas", frozenset({"pandas"}))
    assert is_distinctive("pandas", frozenset())


@pytest.mark.parametrize("home", ["/", "", "/tmp", "/usr", "/nonexistent"])
def test_a_service_without_a_home_loses_no_paths(home: str) -> None:
    me = Identity("daemon", home, home, ())
    assert said("/usr/lib/x /tmp/y /", me) == "/usr/lib/x /tmp/y /"


def test_the_environment_is_redacted_by_its_names() -> None:
    before = {
        "HF_TOKEN": "abc", "AWS_SECRET_ACCESS_KEY": "very-secret", "USER": "bob", "MASTER_ADDR": "node3", "HOST": "localhost",
        "TF_CONFIG": '{"cluster": {"worker": ["n1.example.org:2222", "10.1.2.3:2222", "localhost:1"]}}',
        "HTTPS_PROXY": "http://bob:pw@proxy.corp:3128/", "LD_LIBRARY_PATH": "/home/alice/x:/usr/lib", "TF_CPP_MIN_LOG_LEVEL": "2",
    }  # fmt: skip
    told = document("healthy-cpu")
    told["facts"]["environment.variables"] = {"status": "known", "value": before, "from": "environ"}
    told["summary"] = "very-secret in a log"
    after = redact(told, ALICE)
    assert after["facts"]["environment.variables"]["value"] == {
        "HF_TOKEN": "<secret-2>", "AWS_SECRET_ACCESS_KEY": "<secret-1>", "USER": "<user-3>", "MASTER_ADDR": "<host-3>",
        "HOST": "localhost",
        "TF_CONFIG": '{"cluster": {"worker": ["<host-4>:2222", "<ip-1>:2222", "localhost:1"]}}',
        "HTTPS_PROXY": "http://<secret-3>@<host-5>:3128/", "LD_LIBRARY_PATH": "~/x:/usr/lib", "TF_CPP_MIN_LOG_LEVEL": "2",
    }  # fmt: skip
    assert after["summary"] == "<secret-1> in a log"


def test_of_other_peoples_processes_the_name_alone_is_told() -> None:
    told = document("driver-too-old")
    line = "/opt/jobs/bin/python train.py --api-key=zzz --patients=/data/x.csv"
    process = {"pid": 7, "name": line, "memory": {"status": "known", "value": 1, "from": "NVML"}}
    told["facts"]["nvml.devices"]["value"][0]["processes"] = {
        "status": "known",
        "value": [process],
        "from": "NVML",
    }
    told["findings"][0]["explanation"] = f"{line} (process 7) holds it."
    after = redact(told, NOBODY)
    assert "patients" not in json.dumps(after)
    assert after["findings"][0]["explanation"] == "python (process 7) holds it."


@pytest.mark.parametrize("machine", NAMES)
def test_nobodys_report_stays_the_report(machine: str) -> None:
    """Codes, statuses, keys and facts survive; the redacted report can be read and judged again."""
    before, after = document(machine), redact(document(machine), ALICE)
    assert _skeleton(after) == _skeleton(before)
    assert report_from_json(after).verdict == report_from_json(before).verdict
    assert redact(after, ALICE) == after
    assert re.findall(r"<(?:ip|mac|secret|uuid|gpu-serial)-", json.dumps(after)) == []


def _skeleton(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _skeleton(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_skeleton(item, key) for item in value]
    return value if key in OURS or not isinstance(value, str) else "text"


LETTERS = "abcdefghijklmnopqrstuvwxyz"
names = st.text(LETTERS, min_size=5, max_size=10).filter(
    lambda name: is_distinctive(name, frozenset())
)
octets = st.integers(11, 99)
hexes = st.text("0123456789abcdef", min_size=2, max_size=2)
ips = st.tuples(octets, octets, octets, octets).map(lambda parts: ".".join(map(str, parts)))
macs = st.lists(hexes, min_size=6, max_size=6).map(":".join)
uuids = st.uuids().map(lambda uuid: f"GPU-{uuid}")
CONTEXTS = [
    "{}",
    "x {} y",
    "({})",
    "'{}'",
    '"{}"',
    "a={}",
    "at {}, then",
    "[{}]",
    "/data/{}/x",
    "{}: no",
    "<{}>",
    "é{}é",
]


def _everywhere(value: Any, change: Callable[[str], str], key: str = "") -> Any:
    """Changes every text in which a machine could say anything: not versions, names of packages, or commands."""
    if isinstance(value, dict):
        return {
            name: item
            if name in OURS
            else _everywhere(item, change, key if name == "value" else name)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_everywhere(item, change, key) for item in value]
    fixed = key in FIXED or key.endswith("version")
    return change(value) if isinstance(value, str) and not fixed else value


def _in_every_form(report: Report) -> Iterator[str]:
    view = report_view(report)
    yield from (
        render_markdown(view),
        render_html(view),
        render_fragment(view),
        render_ticket(view),
    )
    yield render_issue_form(issue_form(report), view.footer)
    yield json.dumps(answer(report_to_json(report)), ensure_ascii=False)


@pytest.mark.slow  # whole reports in every form
@settings(max_examples=40, deadline=None)
@given(user=names, host=names, ip=ips, mac=macs, uuid=uuids, context=st.sampled_from(CONTEXTS))
def test_no_canary_leaves_in_any_text(
    user: str, host: str, ip: str, mac: str, uuid: str, context: str
) -> None:
    assume(user not in host and host not in user)
    me = Identity(user, f"/home/{user}", f"/home/{user}", (f"{host}.example.org", host))
    canaries = [user, host, ip, mac, uuid]
    hidden = " ".join(
        context.format(canary) for canary in [*canaries, f"/home/{user}/v", f"{user}@{host}"]
    )
    plain = document("driver-too-old")
    assume(not any(canary in json.dumps(plain) for canary in canaries))
    told = redact(_everywhere(plain, lambda text: f"{text} {hidden}"), me)
    written = json.dumps(told, ensure_ascii=False) + "".join(_in_every_form(report_from_json(told)))
    assert [canary for canary in canaries if canary.casefold() in written.casefold()] == []
    assert {"<user-1>", "<host-1>", "<ip-1>", "<mac-1>", "<gpu-uuid-1>"} <= set(
        re.findall(r"<[a-z-]+-\d+>", written)
    )
    assert "<ip-2>" not in written


@settings(max_examples=40, deadline=None)
@given(user=names, other=names, folder=st.sampled_from(["/home", "/Users", "/mnt/x/home"]))
def test_the_same_person_is_the_same_placeholder_everywhere(
    user: str, other: str, folder: str
) -> None:
    assume(user not in other and other not in user)
    assume(not SHARED_HOMES & {user, other})
    me = Identity(user, f"/home/{user}", "", ())
    redactor = Redactor(me, Values())
    first = redactor.hide(f"{folder}/{other}/a")
    again = redactor.hide(f"{other}@somewhere")
    assert "<user-2>" in first
    assert again.startswith("<user-2>@")


def test_on_the_own_terminal_names_stay_and_secrets_and_addresses_go() -> None:
    shown = Redactor(replace(ALICE, names_shown=True), Values())
    home = ALICE.home
    said = f"{home}/x /home/bob/y {ALICE.user} 10.20.30.40 https://me:hunter2hunter2@host.example/"
    assert (
        shown.hide(said) == f"~/x /home/bob/y {ALICE.user} <ip-1> https://<secret-1>@host.example/"
    )
    assert shown.hide_variable("HOSTNAME", "gpu17") == "gpu17"


def named(host: str) -> Report:
    """A report whose machine has that name, and whose fix has it in a command."""
    report = report_from_json(document(NAMES[0]))
    fix = Fix("Raise it", (f"docker update --memory 4g {host}",))
    return replace(
        report,
        facts=replace(report.facts, host=replace(report.facts.host, name=Known(host, "uname"))),
        findings=tuple(replace(each, fixes=(fix,)) for each in report.findings),
    )


@pytest.mark.parametrize("host", ["3f2a91c0b7de", "node17.example.org", "trainer-x7"])
def test_the_name_of_another_machine_that_a_report_tells_is_hidden(host: str) -> None:
    report = named(host)
    assert report.findings
    assert host in json.dumps(report_to_json(report))
    assert host not in json.dumps(report_to_json(redacted(report, NOBODY)))
    assert redacted(report, Identity(names_shown=True)).facts.host.name == Known(host, "uname")


def test_a_machine_that_is_called_like_a_word_is_hidden_where_its_name_stands() -> None:
    shown = redacted(named("server"), NOBODY)
    assert shown.facts.host.name == Known("<host-1>", "uname")
