"""Secrets of many makers, each alone, in an address, an argument, a line of a log, an exception: in no form of a report."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every import every
from tests.unit.say.reports import document
from tfdoctor.report.report import report_from_json
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values, hide_secrets
from tfdoctor.say.redact.report import _secret_arguments, redacted

HEX, UPPER = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
SHAPES = {  # how it begins, of what the rest is, how long that is
    "GitHub": ("ghp_", LETTERS, 36), "GitHub app": ("ghs_", LETTERS, 36), "GitHub user": ("gho_", LETTERS, 36),
    "GitHub fine": ("github_pat_", LETTERS, 40), "GitLab": ("glpat-", LETTERS, 20), "GitLab runner": ("glrt-", LETTERS, 20),
    "GitLab deploy": ("gldt-", LETTERS, 20), "Hugging Face": ("hf_", LETTERS, 34), "Hugging Face org": ("api_org_", LETTERS, 34),
    "AWS": ("AKIA", UPPER, 16), "AWS session": ("ASIA", UPPER, 16), "Slack bot": ("xoxb-1234567890-", LETTERS, 24),
    "Slack user": ("xoxp-1234567890-", LETTERS, 24), "Slack app": ("xapp-1-", LETTERS, 24), "Google": ("AIza", LETTERS, 35),
    "Google OAuth": ("ya29.", LETTERS, 40), "Google client": ("GOCSPX-", LETTERS, 28), "PyPI": ("pypi-AgEIcHlwaS5vcmc", LETTERS, 40),
    "npm": ("npm_", LETTERS, 36), "Stripe": ("sk_live_", LETTERS, 24), "Stripe test": ("rk_test_", LETTERS, 24),
    "Stripe hook": ("whsec_", LETTERS, 32), "NVIDIA": ("nvapi-", LETTERS, 64), "Vault": ("hvs.", LETTERS, 40), "Vault batch": ("hvb.", LETTERS, 40),
    "Docker": ("dckr_pat_", LETTERS, 27), "DigitalOcean": ("dop_v1_", HEX, 64), "Databricks": ("dapi", HEX, 32),
    "Grafana": ("glsa_", LETTERS, 32), "Grafana cloud": ("glc_", LETTERS, 40), "Linear": ("lin_api_", LETTERS, 40), "Notion": ("ntn_", LETTERS, 40),
    "Shopify": ("shpat_", HEX, 32), "Square": ("sq0atp-", LETTERS, 22), "Mailgun": ("key-", HEX, 32), "PlanetScale": ("pscale_tkn_", LETTERS, 43),
    "Doppler": ("dp.pt.", LETTERS, 43), "age": ("AGE-SECRET-KEY-1", UPPER, 58), "Atlassian": ("ATATT3", LETTERS, 60),
    "JFrog": ("AKCp", LETTERS, 60), "New Relic": ("NRAK-", UPPER, 27), "Sentry": ("sntrys_", LETTERS, 60), "Replicate": ("r8_", LETTERS, 37),
    "Groq": ("gsk_", LETTERS, 52), "Perplexity": ("pplx-", LETTERS, 48), "xAI": ("xai-", LETTERS, 80), "Tailscale": ("tskey-auth-", LETTERS, 30),
    "RubyGems": ("rubygems_", HEX, 48), "CircleCI": ("CCIPAT_", LETTERS, 40), "Buildkite": ("bkua_", HEX, 40), "Postman": ("PMAK-", HEX, 40),
    "Figma": ("figd_", LETTERS, 40), "Pulumi": ("pul-", HEX, 40), "Fly": ("fo1_", LETTERS, 43), "Kaggle": ("KGAT_", HEX, 32),
    "OpenAI project": ("sk-proj-", LETTERS, 48), "OpenAI service": ("sk-svcacct-", LETTERS, 48), "OpenAI admin": ("sk-admin-", LETTERS, 48),
    "Anthropic": ("sk-ant-api03-", LETTERS, 48), "Alibaba": ("LTAI5t", LETTERS, 18), "Tencent": ("AKID", LETTERS, 32),
    "Facebook": ("EAACEdEose0cBA", LETTERS, 60), "Twilio": ("SK", HEX, 32), "Cloudflare origin": ("v1.0-0123456789abcdef01234567-", HEX, 146),
    "Weights & Biases": ("wandb_v1_", LETTERS, 40),
}  # fmt: skip
PLACES = (
    "{}", "https://x.example/a?b={}&c=1", "https://{}@x.example/simple", "--option={}", "['python', 'train.py', '--option', '{}']",
    "2026-11-24 10:00:00.123: E tensorflow/core/x.cc:12] got {} from the server", "ValueError: invalid value '{}'", "({})", "a, {}; b",
)  # fmt: skip


@st.composite
def secrets(draw: st.DrawFn) -> str:
    begin, letters, length = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    return begin + draw(st.text(letters, min_size=length, max_size=length))


@settings(max_examples=600, deadline=None)
@given(secrets(), st.sampled_from(PLACES))
def test_a_secret_is_hidden_wherever_it_stands(secret: str, place: str) -> None:
    text = place.format(secret)
    assert secret[-10:] not in Redactor(Identity(), Values()).hide(text)
    assert secret[-10:] not in hide_secrets(text)


@every(sorted(SHAPES))
def test_every_shape_in_every_place(name: str) -> None:
    begin, letters, length = SHAPES[name]
    secret = begin + (letters * 8)[11 : 11 + length]
    for place in PLACES:
        assert secret[-10:] not in Redactor(Identity(), Values()).hide(place.format(secret)), place


@every(
    [
        "wandb login 0123456789abcdef0123456789abcdefdeadbeef",
        '{"username":"bob","key":"0123456789abcdef01234567deadbeef"}',
        "mysql -u root -pdeadbeef train",
        "docker login -u bob -p deadbeef registry.example",
        "sshpass -p deadbeef ssh x",
        "pwd: deadbeef",
        "'--api-key', 'deadbeef'",
    ]
)
def test_a_secret_without_a_shape_is_hidden_where_its_program_reads_it(text: str) -> None:
    assert "deadbeef" not in Redactor(Identity(), Values()).hide(text)


@every(
    [
        "nvidia-cudnn-cu12 9.3.0.75 is needed, and 9.10.2.21 is installed",
        "12.9.1.4 or newer",
        "libcublas 12.5.3.2 (12.4.5.8 installed)",
        "/opt/miniconda3/bin/python /usr/anaconda3/lib /srv/miniforge3/x /workspace/.cache/pip",
        "PWD=/srv/x pwd: ~/x pwd=C:\\x",
        "SKIP AC adapter SK-Learn akid eaa ltai",
        "the key: 0123456789abcdef0123456789abcdef01 of a commit",
    ]
)
def test_versions_and_system_folders_stay(text: str) -> None:
    assert Redactor(Identity(), Values()).hide(text) == text


@pytest.mark.parametrize(
    "text", ["10.1.2.3 answered", "connect to 172.16.0.9:8888", "peer 192.168.7.33 is down"]
)
def test_an_address_does_not_stay(text: str) -> None:
    assert "<ip-1>" in Redactor(Identity(), Values()).hide(text)


def test_the_end_of_a_private_key_whose_beginning_is_not_in_the_excerpt() -> None:
    key = "the program wrote\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nQWERTYUIOPASDFGHJKLZXCVBNM123456\nab3=\n-----END RSA PRIVATE KEY-----\nand went on"
    assert (
        Redactor(Identity(), Values()).hide(key)
        == "the program wrote\n<secret-1>-----END RSA PRIVATE KEY-----\nand went on"
    )


def test_users_of_network_shares() -> None:
    hidden = Redactor(Identity(), Values()).hide(
        r"\\nas01\home\bob\x and \\srv2\alice$ and \\srv2\admin$"
    )
    assert hidden == r"\\<host-2>\home\<user-1>\x and \\<host-1>\<user-2>$ and \\<host-1>\admin$"


@every(
    [
        (("python", "x.py", "--password", "hunter22", "--epochs", "3"), ["hunter22"]),
        (("x", "--api-key", "abcdef12"), ["abcdef12"]),
        (("docker", "login", "-u", "bob", "-p", "hunter22"), ["hunter22"]),
        (("/usr/bin/mysql", "-phunter22"), ["hunter22"]),
        (("x", "--tokenizer", "bert", "--token-limit", "4096", "-p", "8080"), []),
    ]
)
def test_a_secret_that_is_an_argument_of_its_own(case: tuple[tuple[str, ...], list[str]]) -> None:
    assert list(_secret_arguments(case[0])) == case[1]


def test_an_older_form_of_a_report_is_redacted_with_them() -> None:
    told = document("healthy-cpu")
    told["summary"] = "sk-proj-" + LETTERS[:48]
    assert LETTERS[20:40] not in redacted(report_from_json(told), Identity()).summary


@pytest.mark.nightly  # measures time
@pytest.mark.parametrize(
    "unit", ["://", "a://", "x@://", "sk-", "AC", "-----END ", "mysql -", "\\\\a\\"]
)
def test_a_megabyte_of_the_same_takes_in_proportion(unit: str) -> None:
    def seconds(size: int) -> float:
        text, begun = unit * (size // len(unit)), time.perf_counter()
        Redactor(Identity(), Values()).hide(text)
        return time.perf_counter() - begun

    assert seconds(1_000_000) < 24 * seconds(125_000) + 0.5
