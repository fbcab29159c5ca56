"""Secrets are hidden in every form in which programs write them; what only looks like one stays."""

from __future__ import annotations

import pytest

from tests.every import every
from tests.unit.say.reports import document
from tfdoctor.report.report import report_from_json
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values, hide_secrets
from tfdoctor.say.redact.report import redacted

A = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY"  # 32 letters and digits
HEX = "0123456789abcdef0123456789abcdef"
NOBODY = Identity()


def hidden(text: str) -> str:
    return Redactor(NOBODY, Values()).hide(text)


WRITTEN = [
    '"password": "CANARY"',
    '{"token": "CANARY"}',
    '{"user": "x", "db_password" : "CANARY with blanks"}',
    "password='CANARY b'",
    "password=CANARY",
    "password: CANARY",
    'PASSWORD = "CANARY"',
    "passwd=CANARY&x=1",
    "DB_PASS=CANARY",
    'db_pass: "CANARY"',
    "MYSQL_PWD=CANARY mysql",
    "Server=db;Uid=sa;Pwd=CANARY;",
    "PGPASSWORD=CANARY psql",
    "secret => CANARY",
    r"{\"password\": \"CANARY\"}",
    r"{\\\"api_key\\\": \\\"CANARY\\\"}",
    "api_key=CANARY",
    "apiKey: 'CANARY'",
    "X-Api-Key: CANARY-1234567",
    "aws_secret_access_key = CANARY",
    "WANDB_API_KEY=CANARY",
    "HF_TOKEN=CANARY",
    "AccountKey=CANARY==;EndpointSuffix=x",
    "Authorization: Bearer CANARY",
    "authorization: Basic CANARY",
    "'Authorization': 'Bearer CANARY'",
    '{"Authorization": "token CANARY"}',
    "curl -H 'Authorization: CANARY' x",
    "Proxy-Authorization: Basic CANARY=",
    "a Bearer CANARY.0123456789 b",
    "Cookie: session=CANARY; other=CANARY",
    "Set-Cookie: sid=CANARY; Path=/",
    '"Cookie": "a=CANARY; b=CANARY"',
    "--password CANARY",
    "--token=CANARY",
    "--api-key 'CANARY x'",
    "curl -u bob:CANARY x",
    "machine h login bob password CANARY",
    "https://x.example/a?token=CANARY",
    "https://x.example/a?b=1&access_token=CANARY&c=2",
    "https://x.example/a?sig=CANARY&se=2026",
    "https://x.example/a?X-Amz-Credential=CANARY&X-Amz-Signature=CANARY&X-Amz-Security-Token=CANARY",
    "https://x.example/a?X-Goog-Signature=CANARY",
    "https://x.example/a?key=CANARY",
    "https://x.example/t/CANARY-1/channel",
    "https://bob:CANARY@x.example/simple",
    "https://CANARY@x.example/simple",
    "postgres://bob:CA@NARY@db/x",
    "redis://:CANARY@db:6379/0",
    "https://hooks.slack.com/services/T00/B00/CANARY",
    "https://discord.com/api/webhooks/123/CANARY",
    "https://corp.webhook.office.com/webhookb2/CANARY",
    "https://api.telegram.org/bot123:CANARY/send",
    "-----BEGIN RSA PRIVATE KEY-----\nCANARY\nCANARY==\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\\nCANARY\\n",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nCANARY\n-----END PGP PRIVATE KEY BLOCK-----",
    "ConnectionString=CANARY",
    "jwt=CANARY",
    "session_id=CANARY",
]


@every(WRITTEN)
def test_a_secret_is_hidden_by_what_stands_before_it(text: str) -> None:
    assert "CANARY" not in hidden(text).replace("CA@NARY", "CANARY")
    assert "NARY" not in hide_secrets(text)
    assert "<secret-1>" in hidden(text)


SHAPES = [
    *(f"gh{kind}_{A}" for kind in "pousr"), f"github_pat_{A}", f"glpat-{A}", f"glcbt-{A}", f"glrt-{A}", f"hf_{A}",
    f"sk-proj-{A}", f"sk-ant-{A}", "AKIA" + "ABCDEFGH12345678", "ASIA" + "ABCDEFGH12345678", f"xoxb-{A}", f"xapp-1-{A}",
    f"xoxe.xoxp-{A}", f"AIza{A}abc", f"ya29.{A}", f"GOCSPX-{A}", f"eyJhbGciOiJI.{A}.{A}", f"npm_{A}", f"sk_live_{A}",
    f"rk_test_{A}", f"whsec_{A}", f"nvapi-{A}", f"hvs.{A}", f"hvb.{A}", f"dckr_pat_{A}", f"SG.{A[:22]}.{A}",
    f"dop_v1_{HEX}{HEX}", f"dapi{HEX}", f"glsa_{A}", f"lin_api_{A}", f"ntn_{A}", f"shpat_{HEX}", f"sq0atp-{A}", f"key-{HEX}",
    f"12345678:AA{A}", f"{A[:14]}.atlasv1.{A}", f"pscale_tkn_{A}", f"dp.pt.{A}", f"ATATT3{A}", f"AKCp{A}", f"sntrys_{A}",
    f"r8_{A}", f"gsk_{A}", f"pplx-{A}", f"xai-{A}", f"tskey-auth-{A}", f"rubygems_{HEX}", f"figd_{A}", f"pul-{HEX}{HEX}",
]  # fmt: skip


AROUND = ["{}", "x {} y", '"{}"', "a={}", "({})", "https://x.example/{}", "at {}, then"]


@every(SHAPES)
def test_a_token_is_hidden_by_the_shape_that_its_maker_gave_it(secret: str) -> None:
    for around in AROUND:
        assert secret not in hidden(around.format(secret))
        assert secret[-12:] not in hidden(around.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096 num_tokens: 128 tokens=12 token_ids: [1, 2] tokenizer=bert tokenizer_class: BertTokenizer",
        "token: identifier, unexpected token: }",
        "password=$PASSWORD token=${{ secrets.X }} secret=%SECRET%",
        "the password is wrong; password: required; token=None; secret=",
        "password_file=/run/x token_count=3 secret_name=a",
        "forward_pass: 0.2 backward_pass=12 pass: 3",
        "PWD=/srv/x OLDPWD=/srv",
        "monkey=1 keyboard: qwerty keyword=for",
        "disk-full task-runner-with-a-long-name risk-assessment-2026-11-22",
        "author=bob authority: none",
        "Access-Control: no-store; session: 3",
        "CUDA_VISIBLE_DEVICES=0,1 XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/lib/cuda --xla_dump_to=/x",
        "cannot import name 'builder' from 'google.protobuf.internal' (/usr/lib/python3/x.py)",
        "module 'threading' has no attribute 'local'; threading.local, tf.io, tensorflow.keras.utils, numpy.dev",
        "https://www.tensorflow.org/install and https://docs.nvidia.com/cuda/x?y=1 and github.com/tensorflow",
        "libcudart.so.12 nvidia_cudnn_cu12-9.3.0.75.dist-info nvidia-curand-cu12 10.3.5.147 (installed 9.3.0.75)",
        "/data/models/x /scratch/imagenet/y /data/cuda-12.4/lib64 /nobackup/tmp/z",
        "a 0:0 b ratio 3:4 12:30:05 PCI:0000:3b:00.0",
        "-----BEGIN CERTIFICATE-----",
        "conda install -c nvidia --override-channels cudnn",
    ],
)  # fmt: skip
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert hidden(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (r"\\fileserver\share\x", r"\\<host-1>\share\x"),
        ("nas01:/export/home on /mnt", "<host-1>:/export/home on /mnt"),
        ("connect to db1.prod.corp and gpu-7.cluster.local", "connect to <host-1> and <host-2>"),
        ("https://artifacts.corp.example.com/simple", "https://<host-1>/simple"),
        ("hostname=gpu17 NODENAME: gpu-3", "hostname=<host-1> NODENAME: <host-2>"),
        ("node3.hpc.uni-x.de", "<host-1>"),
        ("bob@gpu17:/srv", "<user-1>@<host-1>:/srv"),
        ("/users/bob/v /home2/bob/v /u/bobby/v", "/users/<user-1>/v /home2/<user-1>/v /u/<user-2>/v"),
        ("/scratch/bobby/x /data/bob.smith/x", "/scratch/<user-1>/x /data/<user-2>/x"),
        ("/home/John Smith/venv/x", "/home/<user-1>/venv/x"),
        ("/home/John is full", "/home/<user-1> is full"),
        ("/gpfs/bob77/.cache/pip /srv/bob77/miniconda3/bin", "/gpfs/<user-1>/.cache/pip /srv/<user-1>/miniconda3/bin"),
        (r"C:\\Users\\Bob Smith\\x", r"C:\\Users\\<user-1>\\x"),
        ("USER=bob username='bob'", "USER=<user-1> username='<user-1>'"),
    ],
)  # fmt: skip
def test_names_of_machines_and_people_that_nobody_told_us(text: str, after: str) -> None:
    assert hidden(text) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("password=Tr0ub4&3xyzzy b", "password=<secret-1> b"),
        ("password: Tr0ub4;3xyz,zy b", "password: <secret-1> b"),
        ("--password Tr0ub4&3xyzzy b", "--password <secret-1> b"),
        ("password=Tr0ub4&user=x", "password=<secret-1>&user=x"),
        ("Password=Tr0ub4;Server=db", "Password=<secret-1>;Server=db"),
        ("f(password=Tr0ub4,size=3)", "f(password=<secret-1>,size=3)"),
        ("password=Tr0ub4, b", "password=<secret-1>, b"),
        ("PASSWORD=Tr0ub4&&make", "PASSWORD=<secret-1>&&make"),
    ],
)
def test_a_password_goes_on_behind_a_sign_that_begins_no_other_name(text: str, after: str) -> None:
    assert hidden(text) == after


def test_a_private_key_is_hidden_over_the_lines_of_a_log() -> None:
    told = document("healthy-cpu")
    told["summary"] = "x"
    lines = [
        "start",
        "-----BEGIN PRIVATE KEY-----",
        "CANARY1",
        "CANARY2",
        "-----END PRIVATE KEY-----",
        "end",
    ]
    told["smoke"] = {
        "requested": "auto",
        "stages": [{"name": "x", "status": "failed", "detail": {"log": lines}}],
    }
    log = redacted(report_from_json(told), NOBODY).smoke.stages[0].detail["log"]
    hidden_line = "(a line of a private key)"
    assert log == [
        "start",
        "<secret-1>",
        hidden_line,
        hidden_line,
        "-----END PRIVATE KEY-----",
        "end",
    ]


@every(WRITTEN)
def test_what_was_hidden_stays_as_it_is(text: str) -> None:
    once = hidden(text)
    assert hidden(once) == once


@pytest.mark.parametrize("before", ["", " ", "_", "-", "é", "/", "=", "\N{KELVIN SIGN}"])
@pytest.mark.parametrize("token", [f"hf_{A}", f"ghp_{A}", f"sk-{A}"])
def test_a_vendors_token_is_hidden_where_no_letter_or_digit_stands_before_it(
    before: str, token: str
) -> None:
    assert A not in hidden(f"x{before}{token}" if before else token)


@pytest.mark.parametrize("text", [f"la{'hf_' + A}", f"a1ghp_{A}", f"tasks9sk-{A}"])
def test_what_is_the_end_of_a_longer_word_is_no_vendors_token(text: str) -> None:
    assert hidden(text) == text
