"""What secrets look like: by the shape that their makers gave them, and by the words that stand before them.

The shapes are facts of their makers' documentation as the scanners gitleaks (config/gitleaks.toml, commit 009e025a)
and detect-secrets (its plug-ins) have collected them (2026-11). Those tools themselves are not used: they read files,
and importing them takes longer than an examination.

Each expression begins at a word that is rare and looks no further than it must, so that a text of megabytes takes
time in proportion to its length; a test holds all of them to that.
"""

from __future__ import annotations

import re

from tfdoctor.light.expressions import Expression

# Shapes by maker: GitHub, GitLab, Hugging Face, AWS, Slack, Google, JSON Web Tokens,
# Python's package index, npm, Stripe, NVIDIA, HashiCorp Vault, Docker, SendGrid, DigitalOcean, Databricks, Grafana,
# Linear, Notion, Shopify, Square, Mailgun, PlanetScale, Doppler, age, Atlassian, JFrog, New Relic, Sentry, Replicate,
# Groq, Perplexity, xAI, Tailscale, RubyGems, CircleCI, Buildkite, Postman, Figma, 1Password, Pulumi, Fly, Kaggle,
# Weights & Biases.
SHAPE = Expression(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{16,}"
    r"|(?:hf|api_org)_[A-Za-z0-9]{16,}|(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}"
    r"|xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{10,}|GOCSPX-[\w-]{16,}"
    r"|(?<![_-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*|pypi-[\w-]{16,}|npm_[A-Za-z0-9]{16,}"
    r"|[srp]k_(?:live|test|prod)_\w{8,}|whsec_[\w+/=]{16,}|nvapi-[\w-]{16,}|hv[sbr]\.[\w-]{16,}"
    r"|dckr_[a-z]{3}_[\w-]{16,}|SG\.[\w-]{10,64}\.[\w-]{10,}|do[opr]_v1_[0-9a-f]{32,}|dapi[0-9a-f]{32}"
    r"|glsa_\w{16,}|glc_[\w+/=]{16,}|lin_api_\w{16,}|ntn_\w{16,}|shp[a-z]{2}_[0-9a-fA-F]{16,}|sq0[a-z]{3}-[\w-]{16,}"
    r"|key-[0-9a-f]{32}|pscale_[a-z]{2,8}_[\w.-]{16,}|dp\.[a-z]{2,5}\.[\w.-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}"
    r"|ATATT3[\w=-]{20,}|AKC[pP][A-Za-z0-9]{20,}|cmVmd[A-Za-z0-9]{40,}|NRAK-[A-Z0-9]{20,}|sntry[su]_[\w+/=.]{20,}"
    r"|(?:r8|gsk)_[A-Za-z0-9]{20,}|(?:pplx|xai)-[A-Za-z0-9]{20,}|tskey-[\w-]{10,}|rubygems_[0-9a-f]{20,}"
    r"|CCIPAT_\w{16,}|bkua_\w{16,}|PMAK-[\w-]{16,}|figd_[\w-]{16,}|ops_eyJ[\w+/=-]{20,}|pul-[0-9a-f]{32,}"
    r"|fo1_[\w-]{20,}|FlyV1 [\w+/=,-]{20,}|KGAT_\w{16,}|wandb_v\d_[\w-]{16,})"
)
SHAPE_BEGINS = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-",
    "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "hf_", "api_org_", "akia", "asia", "abia", "acca", "a3t",
    "xox", "xapp-", "aiza", "ya29.", "gocspx-", "eyj", "pypi-", "npm_", "sk_live_", "sk_test_", "sk_prod_", "rk_live_",
    "rk_test_", "rk_prod_", "pk_live_", "pk_test_", "pk_prod_", "whsec_", "nvapi-", "hvs.", "hvb.", "hvr.", "dckr_", "sg.",
    "doo_v1_", "dop_v1_", "dor_v1_", "dapi", "glsa_", "glc_", "lin_api_", "ntn_", "shp", "sq0", "key-", "pscale_", "dp.",
    "age-secret-key", "atatt3", "akcp", "cmvmd", "nrak-", "sntry", "r8_", "gsk_", "pplx-", "xai-", "tskey-", "rubygems_",
    "ccipat_", "bkua_", "pmak-", "figd_", "ops_eyj", "pul-", "fo1_", "flyv1 ", "kgat_", "wandb_v",
)  # fmt: skip
SHAPE_SK = Expression(r"(?<![A-Za-z0-9])sk-(?=[\w-]{0,24}\d)[\w-]{16,}")  # OpenAI and those who write alike
# Telegram's bots, Terraform Cloud, Azure's client secrets: their telling part stands in the middle.
SHAPE_AROUND = Expression(
    r"(?<![A-Za-z0-9])(?:\d{8,10}:AA[\w-]{30,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,}|[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34})"
)
SHAPE_HOLDS = (":aa", ".atlasv1.", "q~")

# RFC 7468; OpenSSH's and PGP's blocks are written alike. One that was cut off goes on to the end of the text.
PRIVATE_KEY = Expression(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[^-]*(?:-(?!----END)[^-]*)*(?:-----END[A-Z0-9 ]{0,60}-----)?"
)
KEY_BEGINS, KEY, KEY_ENDS = "-----BEGIN ", "PRIVATE KEY", "-----END"

WEBHOOK = Expression(
    r"(?i)(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
    r"|\.webhook\.office\.com/webhookb2/|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/|hook\.\w{2,4}\.make\.com/)"
    r"(?P<value>[^\s'\"<>]+)"
)
WEBHOOK_BEGINS = ("hooks.slack", "discord", ".webhook.", "api.telegram", "hooks.zapier", "hook.")

_QUOTE = r"(?:\\{0,3}[\"'])"
# Behind an opening quotation mark a value goes on to the closing one, blanks included; else to the next blank.
_VALUE = (
    r"(?:\"(?P<double>[^\"\\\n]*(?:\\.[^\"\\\n]*)*)|'(?P<single>[^'\\\n]*(?:\\.[^'\\\n]*)*)"
    r"|\\{1,3}[\"'](?P<escaped>[^\"'\\\n]*)|(?P<bare>[^\s'\",;&<>(){}\[\]\\][^\s'\",;&<>(){}\[\]\\]*))"
)
_STRONG = (
    r"passw(?:or)?d|passwort|passphrase|passcode|(?-i:(?<=[A-Z0-9]_)PASS)|(?<=[\"'][a-z]{2}[_-])pass|(?<=pg)pass|(?<=ssh)pass"
    r"|(?<=[a-z0-9]_)pwd|(?<=;)pwd|secret"
)
_WEAK = (
    r"token|credential|(?:api|access|private|encryption|account|auth|ssh|gpg|signing|master|license|deploy|storage|functions?)[_-]?key"
    r"|(?<![a-z])pass(?==)|(?<=[a-z0-9][_-])pass|auth(?==)|connection[_-]?string|(?<![a-z])jwt(?==)|(?<![a-z])sid(?==)|session[_-]?id"
)
_BENIGN = r"count|limit|len|type|url|uri|file|path|dir|name|expir|ttl|id[^a-z]|ids|size|index|through|rate"
NAMED = Expression(
    rf"(?i)(?:(?P<strong>{_STRONG})|{_WEAK})s?(?:[_-]?\d{{1,3}})?(?:[_.-](?!{_BENIGN})[a-z0-9]{{1,20}}){{0,4}}"
    rf"{_QUOTE}?(?P<mark>\s{{0,4}}(?:=>|:=|[=:])\s{{0,4}}){_VALUE}"
)
NAMED_BEGINS = (
    "pass", "pwd", "secret", "token", "credential", "api", "access", "private", "encryption", "account", "auth", "ssh",
    "gpg", "signing", "master", "license", "deploy", "storage", "function", "connection", "jwt", "sid", "session",
)  # fmt: skip
NAMED_HOLDS = (
    "passw", "passp", "passc", "_pass", "-pass", "pass=", "pgpass", "sshpass", "pwd", "secret", "token", "credential", "_key",
    "-key", "apikey", "accesskey", "privatekey", "encryptionkey", "accountkey", "authkey", "sshkey", "gpgkey", "signingkey",
    "masterkey", "licensekey", "deploykey", "storagekey", "functionkey", "functionskey", "auth=", "connectionstring",
    "connection_string", "connection-string", "jwt=", "sid=", "sessionid", "session_id", "session-id",
)  # fmt: skip
_NO_SECRET = frozenset(
    "true false yes no none null nil on off ok unset undefined empty missing required optional invalid expired is was not *** ****".split()  # noqa: SIM905  # words read better as text
)

HEADER = Expression(
    r"(?i)(?:authorization|cookie)"
    rf"{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{{1,4}})?"
    r"(?P<value>[^\s\"'\\][^\"'\\\r\n]*)"
)
HEADER_BEGINS = ("authorization", "cookie")
BEARER = Expression(r"(?i)(?<!\w)(?:bearer|basic) (?P<value>[\w.~+/-]{12,}=*)")
BEARER_BEGINS = ("bearer ", "basic ")
OPTION = Expression(
    r"(?i)(?<![\w-])(?:--[\w-]{0,30}(?:password|passwd|passphrase|secret|token|key|credentials?|auth)(?:=| {1,3})(?!-)"
    r"|(?:-u|--user) (?=[^\s:'\"]{1,64}:))"
    rf"{_VALUE}"
)
OPTION_BEGINS = ("--", "-u ")
OPTION_HOLDS = ("passw", "passp", "secret", "token", "-key", "credential", "-auth", " -u ", "--user ")
NETRC = Expression(r"(?i)(?<!\w)login\s{1,4}\S{1,64}\s{1,4}password\s{1,4}(?P<value>\S+)")

# Names that in an address stand for a secret, beside those that NAMED knows: signed addresses of AWS, Google, Azure.
PARAMETER = Expression(
    r"(?i)[?&;#](?:sig|signature|key|code|pass|pw|pwd|auth|sid|session|jwt|sas|hmac|st|ticket|awsaccesskeyid"
    r"|x-(?:amz|goog|ms)-(?:signature|credential|security-token)|googleaccessid)=(?P<value>[^\s&;#'\"<>]+)"
)
PARAMETER_BEGINS = ("?", "&", ";", "#")
PARAMETER_HOLDS = (
    "sig=", "signature=", "key=", "code=", "pass=", "pw=", "pwd=", "auth=", "sid=", "session=", "jwt=", "sas=", "hmac=",
    "st=", "ticket=", "keyid=", "credential=", "token=", "accessid=",
)  # fmt: skip
CHANNEL = Expression(r"/t/(?P<value>(?=[A-Za-z_-]{0,40}\d)[\w-]{6,})(?=/|$|[\s'\"])")  # conda's, with a token

SECRET_NAME = Expression(
    r"(?i)TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|COOKIE|SIGNATURE|AUTH|(?:^|_)(?:API|ACCESS|ACCOUNT|ENCRYPTION|SSH|GPG)?_?KEY(?:$|_)"
    r"|(?:^|_)(?:PASS|DSN|SAS)$|[A-Z0-9]_PWD$|CONN(?:ECTION)?_?STR"
)
"""Names of environment variables whose values are secrets. PWD itself is the working folder."""


def value_of(match: re.Match[str]) -> tuple[int, int]:
    """Where the value of a match with the groups of `_VALUE` stands in the text."""
    kind = next(name for name in ("double", "single", "escaped", "bare") if match[name] is not None)
    return match.span(kind)


def is_secret(match: re.Match[str]) -> bool:
    """Whether what NAMED found is one: a number of tokens, "password: required" and "$TOKEN" are none."""
    start, end = value_of(match)
    value = match.string[start:end]
    if not value or value.casefold() in _NO_SECRET or value[0] in "$%<" or value.startswith("{{"):
        return False
    if match["strong"] is not None or match["bare"] is None:
        return True
    if value.replace(".", "").replace("_", "").isdigit():
        return False
    return "=" in match["mark"] or (len(value) >= 8 and any(char.isdigit() for char in value))
