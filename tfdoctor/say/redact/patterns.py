"""What private values look like: secrets, what tells one machine from another, what names a person.

The shapes of secrets are facts of their makers' documentation as the scanners gitleaks (config/gitleaks.toml, commit
009e025a) and detect-secrets (its plug-ins) have collected them (2026-11). Those tools themselves are not used: they read
files, and importing them takes longer than an examination.

Each expression begins at a word that is rare and looks no further than it must, so that a text of megabytes takes
time in proportion to its length; a test holds all of them to that.
"""

# ruff: noqa: SIM905  # words read better as text
from __future__ import annotations

import ipaddress
import re

from tfdoctor.base.expressions import Expression

# Shapes by maker: GitHub, GitLab, Hugging Face, AWS, Slack, Google, JSON Web Tokens,
# Python's package index, npm, Stripe, NVIDIA, HashiCorp Vault, Docker, SendGrid, DigitalOcean, Databricks, Grafana,
# Linear, Notion, Shopify, Square, Mailgun, PlanetScale, Doppler, age, Atlassian, JFrog, New Relic, Sentry, Replicate,
# Groq, Perplexity, xAI, Tailscale, RubyGems, CircleCI, Buildkite, Postman, Figma, 1Password, Pulumi, Fly, Kaggle,
# Weights & Biases, Alibaba, Tencent, Facebook, Cloudflare; Together, RunPod and Tavily as public repositories show them (2026-11).
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
    r"|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{32}|EAA[A-Za-z0-9]{20,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{40,}|cf(?:k|ut|at)_\w{20,}"
    r"|fo1_[\w-]{20,}|FlyV1 [\w+/=,-]{20,}|KGAT_\w{16,}|wandb_v\d_[\w-]{16,}|tgp_v1_[\w-]{20,}|rpa_[A-Za-z0-9]{20,}"
    r"|secret_[A-Za-z0-9]{43}|sq[apu]_[0-9a-f]{40}|sbp_[0-9a-f]{40}|tvly-[\w-]{20,})"
)
SHAPE_BEGINS = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-",
    "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-", "hf_", "api_org_", "akia", "asia", "abia", "acca", "a3t",
    "xox", "xapp-", "aiza", "ya29.", "gocspx-", "eyj", "pypi-", "npm_", "sk_live_", "sk_test_", "sk_prod_", "rk_live_",
    "rk_test_", "rk_prod_", "pk_live_", "pk_test_", "pk_prod_", "whsec_", "nvapi-", "hvs.", "hvb.", "hvr.", "dckr_", "sg.",
    "doo_v1_", "dop_v1_", "dor_v1_", "dapi", "glsa_", "glc_", "lin_api_", "ntn_", "shp", "sq0", "key-", "pscale_", "dp.",
    "age-secret-key", "atatt3", "akcp", "cmvmd", "nrak-", "sntry", "r8_", "gsk_", "pplx-", "xai-", "tskey-", "rubygems_",
    "ltai", "akid", "eaa", "v1.0-", "cfk_", "cfut_", "cfat_", "ccipat_", "bkua_", "pmak-", "figd_", "ops_eyj", "pul-", "fo1_", "flyv1 ", "kgat_", "wandb_v", "tgp_v1_", "rpa_",
    "secret_", "sqa_", "sqp_", "squ_", "sbp_", "tvly-",
)  # fmt: skip
# OpenAI and those who write alike.
SHAPE_SK = Expression(
    r"(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|None|ant|or)-[\w-]{16,}|(?=[\w-]{0,24}\d)[\w-]{16,})"
)
# Hashes of passwords (crypt(5)), Telegram's bots, Terraform Cloud, Azure's client secrets: their telling part stands in the middle.
SHAPE_AROUND = Expression(
    r"(?<![A-Za-z0-9])(?:\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2id?|scrypt)\$[\w./=,$+-]{16,}|\d{8,10}:AA[\w-]{30,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{20,}|[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34})"
)
SHAPE_HOLDS = (
    ":aa",
    ".atlasv1.",
    "q~",
    "$1$",
    "$2",
    "$5$",
    "$6$",
    "$7$",
    "$y$",
    "$gy$",
    "$apr1$",
    "$argon2",
    "$scrypt$",
)
SHAPE_TWILIO = Expression(r"(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])")
_PROGRAMS = (
    ("wandb", "wandb", "login", r"login\s(?:--\S{1,80}\s{1,4}){0,4}(?=[0-9a-zA-Z_]{40})"),
    ("curl", "curl", "=", r"(?:-b|--cookie)[ =]{1,4}(?=[\"']?[\w.-]{1,80}=)"),
    ("kubectl", "kubectl", "--from-literal", r"secret\s[^\n|;&]{0,200}?(?<=\s)--from-literal[= ][\"']?[\w.-]{1,80}="),
    ("twine flit", "(?:twine|flit)", "-p", "-p ?"),
    ("poetry", "poetry", "publish", r"publish\s[^\n|;&]{0,60}?(?<=\s)-p ?"),
    ("cqlsh cypher-shell", "(?:cqlsh|cypher-shell)", "-p", "-p ?"),
    ("doctl", "doctl", "auth", r"auth\s[^\n|;&]{0,40}?(?<=\s)-t ?"),
    ("gh", "gh", "secret", r"secret\sset\s[^\n|;&]{0,80}?(?<=\s)(?:-b|--body)[ =]?"),
    ("hatch", "hatch", "-a", "-a ?"),
    ("ssh-keygen", "ssh-keygen", "-", "-[NP] ?"),
    ("vault", "vault", "login", r"login\s(?:-\S{1,80}\s{1,4}){0,4}"),
    ("poetry", "poetry", "config", r"config\s(?:--\S{1,40}\s)?(?:http-basic\.\S{1,80}\s[^\s-]\S{0,80}|pypi-token\.\S{1,80})\s(?:--\s)?"),
    ("conda", "conda", "token", r"token\s(?:-\S{1,40}\s){0,3}set\s"),
    ("mc minio", "mc", "set", r"(?:alias|config host) (?:set|add)\s\S{1,64}\s\S{1,200}\s\S{1,128}\s"),
    ("rclone", "rclone", "", r"(?:config\s(?:password|create|update)\s[^\n|;&]{0,200}?(?<=\s)pass[ =]|obscure\s)"),
    ("wpa_passphrase", "wpa_passphrase", "p", r"\S{1,64}\s"),
    ("net", "net", "use", r"use\s(?:[A-Za-z*]:?\s)?\\\\\S{1,200}\s(?!/)"),
    ("net", "net", "/user:", r"use\s[^\n|;&/]{0,80}(?<=\s)/user:\S{1,80}\s(?!/)"),
    ("net", "net", "user", r"user\s[^\s/]\S{0,64}\s(?!/)"),
    ("cmdkey", "cmdkey", "/pass:", "/pass:"),
    ("useradd usermod", "(?:useradd|usermod)", "-p", "-p ?"),
    ("mysql mariadb", r"(?:mysql|mariadb)\w{0,10}", "-p", "-p"),
    ("docker podman nerdctl", "(?:docker|podman|nerdctl)", "login", r"login\s[^\n|;&]{0,200}?(?<=\s)-p[ =]?"),
    ("helm skopeo buildah crane oras", "(?:helm|skopeo|buildah|crane|oras)", "login", r"login\s[^\n|;&]{0,200}?(?<=\s)-p[ =]?"),
    ("az cf oc", "(?:az|cf|oc)", "login", r"login\s[^\n|;&]{0,200}?(?<=\s)-p[ =]?"),
    ("sshpass", "sshpass", "-p", "-p ?"),
    ("openssl", "openssl", "-", "-(?:k|K|pass|passin|passout|passwd)[ =]{1,4}(?!(?:env|file|fd):|stdin)(?:pass:)?"),
    ("redis-cli", "redis-cli", "-a", "-a[ =]{1,4}"),
    ("ldap", "ldap(?:search|modify|add|delete|passwd|whoami)", "-w", "-w ?"),
    ("smbclient smbget rpcclient", "(?:smbclient|smbget|rpcclient)", "%", r"(?:-U|--user)[ =]?[^\s%]{1,64}%"),
    ("sqlcmd bcp ipmitool zip unzip", "(?:sqlcmd|bcp|ipmitool|zip|unzip)", "-p", "-P ?"),
    ("mosquitto_", "mosquitto_(?:pub|sub|rr)", "-p", "-P ?"),
    ("rar unrar", "(?:un)?rar", "p", "-h?p"),
    ("7z", "7z[ar]?", "-p", "-p"),
    ("mongo", "mongo(?:sh|dump|restore|import|export)?", "-p", "-p ?"),
    ("htpasswd", "htpasswd", "-", r"-\w{0,4}b\w{0,4} {1,4}\S{1,200} {1,4}\S{1,64} {1,4}"),
    ("xfreerdp", "xfreerdp", "/p:", "/p:"),
    ("lftp", "lftp", "-u", r"-u {1,4}[^\s,]{1,64},"),
    ("kaggle", "kaggle", "-v", "config set -n key -v "),
)  # fmt: skip
PROGRAMS = tuple(
    (
        tuple(each + " " if len(each) < 4 and each != "7z" else each for each in begins.split()),
        (holds,),
        Expression(
            rf"(?<![\w.-]){name}(?:\.exe)?\s(?:[^\n|;&]{{0,200}}?(?<=\s))?{argument}[\"']?(?P<value>[^\s'\"=-][^\s'\"]*)"
        ),
    )
    for begins, name, holds, argument in _PROGRAMS
)
"""Programs, and behind which argument each reads a secret that no name tells (their manual pages; 2026-11)."""
_ASKED_BY = r"(?:sudo(?: {1,3}-[A-RT-Za-z][\w-]{0,20}| {1,3}-u {1,3}\S{1,64}){0,4} {1,3}(?:-\w{0,6}S\b|--stdin\b)|kinit|cryptsetup)"
"""Programs that read a password from standard input, and nothing else (their manual pages; 2026-11)."""
BY_PIPE = Expression(
    r"(?:echo|printf)(?: {1,3}-\w{1,3}| {1,3}[\"']%s(?:\\n)?[\"']){0,3} {1,3}[\"']?(?P<value>[^\s'\"|$][^\s'\"|]{0,400})[\"']? {0,3}\|"
    rf"(?=[^\n|]{{1,200}}(?:--pass\w{{0,5}}-(?:on-)?stdin|--with-token|--passphrase-fd)|\s{{0,3}}{_ASKED_BY})"
)
"""`echo V | docker login --password-stdin`, `echo V | sudo -S ls`"""
BY_PIPE_HOLDS = (
    "-stdin", "--with-token", "--passphrase-fd", "sudo", "kinit", "cryptsetup",
)  # fmt: skip
HERE_STRING = Expression(
    rf"(?:--(?:password-stdin|(?:with-)?token)|chpasswd|passwd|vncpasswd -f|login|{_ASKED_BY})(?: [^\n|;&<]{{0,100}})?<<<"
    r"\s{0,3}[\"']?(?P<value>[^\s'\"$][^\s'\"]*)"
)
"""`gh auth login --with-token <<< V`"""
HERE_STRING_BEGINS = (
    "--password-stdin",
    "--with-token",
    "--token",
    "chpasswd",
    "passwd",
    "vncpasswd -f",
    "login",
    "sudo",
    "kinit",
    "cryptsetup",
)
TO_CHPASSWD = Expression(
    r"(?:echo|printf)(?: {1,3}-\w{1,3})? {1,3}[\"']?[\w.-]{1,64}:(?P<value>[^\s'\"|]{1,200})[\"']? {0,3}\|(?=[^\n|]{0,40}chpasswd)"
)
"""`echo NAME:V | chpasswd`"""
SECURE_STRING = Expression(
    r"(?i)ConvertTo-SecureString(?: {1,3}-\w{1,20}){0,3} {1,3}[\"']?(?P<value>[^\s'\"$(-][^\s'\"]*)"
)
SENT = Expression(
    r"(?i)pass(?:word|phrase|code)[^\n]{0,60}?\bsend(?:line|user)?(?: --)?[ (]{1,3}[\"'](?P<value>[^\"'\\\r\n$]{1,200})"
)
"""`expect "password:"; send "V\\r"`, also pexpect's"""
KEY_PAIR = Expression(
    r"[\"'](?:AKIA|ASIA|LTAI|AKID|AC)[A-Za-z0-9]{1,40}[\"']\s{0,2},\s{0,4}[\"'](?P<value>[^\"'\s]{16,200})[\"']"
)
"""`Session("AKIA…", "V")`, `Client("AC…", "V")`"""
CONNECTED = Expression(
    r"\bconnect\(\s{0,4}(?:[\"'][^\"'\n]{1,200}[\"'],\s{0,4}){2}[\"'](?P<value>[^\"'\n]{1,200})[\"']"
)
"""`pymysql.connect("host", "user", "V")`"""
PGPASS = Expression(
    r"(?<![\w.:/-])(?![\w.-]{1,200}\.(?:cc|cpp|go|h|java|js|log|py|rs):)[\w.*-]{1,200}:(?:5432|5433|6432|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:(?P<value>[^\s:'\"]{1,200})"
)
"""A line of ~/.pgpass"""
OTHER_LANGUAGES = Expression(
    r"(?i)(?:contraseña|contrasena|mot[ _-]?de[ _-]?passe|senha|hasło|пароль|密码|密碼|口令|パスワード|비밀번호|wachtwoord|kennwort|passord|lösenord|adgangskode|salasana|heslo) {0,2}[:=：＝] {0,4}[\"']?(?P<value>[!#-&(-~]{4,400})"
)
"""A password in Spanish, French, Portuguese, Polish, Russian, Chinese, Japanese, Korean, Dutch, German, Norwegian, Swedish, Danish,
Finnish, Czech; what is written in ASCII behind it."""
OTHER_LANGUAGES_BEGIN = (
    "contraseña", "contrasena", "mot de passe", "mot_de_passe", "mot-de-passe", "motdepasse", "senha", "hasło", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "wachtwoord",
    "kennwort", "passord", "lösenord", "adgangskode", "salasana", "heslo",
)  # fmt: skip
USER_LOGIN = Expression(
    r"(?<![\w-])(?:-u|--(?:proxy-)?user)(?:[ =]{1,3}|[\"'],? {0,2}(?=[\"']))(?!\d{1,9}:\d{1,9}(?!\w))[\"']?(?P<value>[^\s:'\"/]{1,64}:(?!//)[^\s'\"]+|[^\s:'\"/]{16,64}:(?=[\s'\"]|$))"
)
"""`curl -u user:password`, `curl -u key:`"""
USER_LOGIN_BEGINS = tuple(
    f"{name}{gap}" for name in ("-u", "--user", "--proxy-user") for gap in " =\"'"
)
_IN_YAML = r"(?m)^(?P<indent>[ \t]{0,40})(?:data|stringData):[ \t]{0,4}\r?\n(?:(?P=indent)[ \t]{1,40}\S[^\n]{0,4000}(?:\n|$)){1,200}"
_IN_JSON = r"\"(?:data|stringData)\"\s{0,9}:\s{0,9}\{[^{}]{1,20000}\}"
SECRET_OF_KUBERNETES = Expression(r"(?i)kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret\b")
DATA_OF_KUBERNETES = Expression(f"{_IN_YAML}|{_IN_JSON}")
ENTRY_OF_KUBERNETES = Expression(
    r"(?m)(?:^[ \t]{1,40}[\w.-]{1,253}:[ \t]{1,40}(?![|>][-+]?\s*$)|[{,]\s{0,40}\"[\w.-]{1,253}\"\s{0,9}:\s{0,9})[\"']?(?P<value>[^\s\"'{][^\s\"']*)"
)
"""A Kubernetes Secret, the parts of it that hold secrets, and an entry of these, whatever its name."""
WORKING_FOLDER_OR_SECRET = Expression(
    r"(?i)(?<!\w)pwd[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<value>(?![/~.<$%\\]|[a-z]:[\\/])[^\s'\",;&<>(){}\[\]]+)"
)
"""PWD is the working folder in a shell; what is no path behind it is a password."""

WEBHOOK = Expression(
    r"(?i)(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
    r"|\.webhook\.office\.com/webhookb2/|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/|hook\.\w{2,4}\.make\.com/)"
    r"(?P<value>[^\s'\"<>]+)"
)
WEBHOOK_BEGINS = ("hooks.slack", "discord", ".webhook.", "api.telegram", "hooks.zapier", "hook.")

_QUOTE = r"(?:\\{0,3}[\"'])"
HEADER = Expression(
    r"(?i)(?:authorization|cookie)"
    rf"{_QUOTE}?\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{{1,4}})?"
    r"(?P<value>[^\s\"'\\][^\"'\\\r\n]*)"
)
HEADER_BEGINS = ("authorization", "cookie")
BEARER = Expression(r"(?i)(?<!\w)(?:bearer|basic)(?: |: ?|=)(?P<value>[\w.~+/-]{12,}=*)")
BEARER_BEGINS = tuple(f"{scheme}{gap}" for scheme in ("bearer", "basic") for gap in " :=")
NETRC = Expression(
    r"(?i)(?<!\w)login\s{1,4}\S{1,64}\s{1,4}(?:account\s{1,4}\S{1,64}\s{1,4})?password\s{1,4}(?!(?:is|was)\b)(?P<value>\S+)"
)

# Names that in an address stand for a secret, beside those that named.py knows: signed addresses of AWS, Google, Azure.
PARAMETER = Expression(
    r"(?i)[?&;#](?:sig|signature|key|code|pass|pw|pwd|auth|sid|session|jwt|sas|hmac|st|ticket|awsaccesskeyid"
    r"|x-(?:amz|goog|ms)-(?:signature|credential|security-token)|googleaccessid)=(?P<value>[^\s&;#'\"<>]+)"
)
PARAMETER_BEGINS = ("?", "&", ";", "#")
PARAMETER_HOLDS = (
    "sig=", "signature=", "key=", "code=", "pass=", "pw=", "pwd=", "auth=", "sid=", "session=", "jwt=", "sas=", "hmac=",
    "st=", "ticket=", "keyid=", "credential=", "token=", "accessid=",
)  # fmt: skip
# conda's, with a token.
CHANNEL = Expression(r"/t/(?P<value>(?=[A-Za-z_-]{0,40}\d)[\w-]{6,})(?=/|$|[\s'\"])")

_HEX = "[0-9A-Fa-f]"
_UUID = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

# Long or shortened as CUDA_VISIBLE_DEVICES takes it; MIG's older form is MIG-GPU-<uuid>/<instance>/<compute>
# (CUDA C++ Programming Guide, environment variables; NVIDIA MIG User Guide; 2026-11).
GPU_UUID = Expression(
    rf"\b(?:MIG-GPU-|GPU-|MIG-)(?:{_UUID}|(?=[A-Fa-f-]{{0,40}}\d){_HEX}{{4,40}}(?:-{_HEX}{{1,40}}){{0,8}})(?:/\d{{1,3}}/\d{{1,3}})?(?![\w-])",
    re.ASCII,
)
UUID = Expression(rf"(?<![\w-]){_UUID}(?![\w-])", re.ASCII)
_NUMBER = r"(?P<gap>[\"']?\s{0,40}[:=]?\s{0,4}[\"']?)(?P<value>(?=[A-Z]{0,40}\d)[A-Z0-9]{6,64})(?![A-Z0-9])"
SERIAL = Expression(rf"(?i)(?<![a-z])(?:serial(?:[ _-]?(?:number|no\.?))?|s/n){_NUMBER}")
MACHINE_NUMBER = Expression(
    rf"(?i)(?<![a-z])(?:service|asset|machine|boot|chassis|fabric)[ _-](?:tag|id|guid){_NUMBER}"
)
"""What numbers one device or one machine, as nvidia-smi -q, dmidecode and hostnamectl write it."""
MACHINE_NUMBER_BEGINS = tuple(
    f"{what}{gap}{number}"
    for what, numbers in (
        ("service", ("tag",)),
        ("asset", ("tag",)),
        ("machine", ("id",)),
        ("boot", ("id",)),
        ("chassis", ("id",)),
        ("fabric", ("guid",)),
    )
    for number in numbers
    for gap in " _-"
)

# Six octets (Ethernet) or eight and twenty (EUI-64, InfiniBand). A PCI address such as 00000000:3B:00.0 has three.
MAC = Expression(
    rf"(?<![\w:.-])(?:{_HEX}{{2}}(?::{_HEX}{{2}}){{5}}(?:(?::{_HEX}{{2}}){{2}}|(?::{_HEX}{{2}}){{14}})?"
    rf"|{_HEX}{{2}}(?:-{_HEX}{{2}}){{5}})(?!\w|[:-]\w)",
    re.ASCII,
)
IPV6 = Expression(
    rf"(?<![\w:.])(?=[0-9A-Fa-f:]{{0,40}}:[0-9A-Fa-f:]{{0,40}}:){_HEX}{{0,4}}:[0-9A-Fa-f:]{{1,40}}(?:\d{{0,3}}\.\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}})?(?![\w:])",
    re.ASCII,
)
IPV4 = Expression(r"(?<![\w.+-])(?:\d{1,3}\.){3}\d{1,3}(?![\w+]|\.\w|-\w)", re.ASCII)
FOUR_NUMBERS = Expression(r"(?<![\d.])(?:\d{1,9}\.){3}\d{1,9}(?!\d)")
_VERSION_BEFORE = Expression(
    r"(?:[=<>!~]=|===|(?:versions?|release|driver|cuda|cudnn|nccl|cublas|cufft|cusolver|cusparse|curand|nvjitlink|tensorrt|toolkit|ptxas"
    r"|nvcc|cu1\d|library|installed|requires?|needs?|you have|expects?|expected|wants?|asks for|built (?:for|with|against)|compiled with|loaded|\bv)[ :=(]{0,3}"
    r"|(?<![\w.])(?:nvidia-[a-z-]{1,24}-cu\d\d|(?:libcudnn|libnccl|libnvinfer|tensorrt|opencv-(?:python|contrib))[\w-]{0,32})[ \t]{1,40})$",
    re.IGNORECASE,
)
_VERSION_AFTER = Expression(
    r"^\)? ?(?:(?:is|was|are) )?(?:installed|needed|required|too (?:old|new)|or (?:newer|later|older|higher|lower))\b",
    re.IGNORECASE,
)
_LESS_OR_MORE = Expression(r"(?:^|[\w,\s\]])[<>] ?$")

# Amazon's hosts.
ADDRESS_IN_NAME = Expression(r"\bip(?:-\d{1,3}){4}(?:\.[a-z0-9-]{1,63}){0,8}", re.ASCII)
FOREIGN_HOST = Expression(
    r"(?<![\w.@/\\%$-])(?:[A-Za-z][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,11}(?![\w-]|\.\w|\()",
    re.ASCII,
)
"""Words joined by dots. `is_foreign_host` tells a host's name among them from a module's (google.protobuf.internal)."""
_ENDS = frozenset("com net org edu gov mil lan corp intranet localdomain arpa".split())
_ENDS_OF_MODULES_TOO = frozenset(
    "local internal intra home private cluster cloud io ai dev app".split()
)
_COUNTRIES = frozenset(
    "de uk fr ch at nl be se fi dk es pt pl cz it ie eu jp cn kr tw hk sg au nz ca us br mx ar il ru ua tr gr hu ro za".split()
)
SHARE = Expression(
    r"(?<![\\\w:])(?P<before>(?:\\\\){1,2})(?P<host>[A-Za-z0-9][\w.-]{0,200})(?=\\{1,2}[\w$])"
)
EXPORT = Expression(
    r"(?<![\w./$@<>-])(?P<host>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,8}):(?=/[A-Za-z])", re.ASCII
)
NAMED_HOST = Expression(
    r"(?i)(?P<before>(?<![a-z])(?:hostname|nodename|nodelist|node_name|host_name|master_addr|fqdn|computername)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)"
    r"(?P<host>[A-Za-z][\w.\[\],-]{0,300})"
)
NAMED_HOST_BEGINS = ("hostname", "nodename", "nodelist", "node_name", "host_name", "master_addr", "fqdn", "computername")  # fmt: skip
URL = Expression(
    r"://(?=[A-Za-z0-9]|[^/\s'\"<>?#]*@|[^/\s@:'\"<>]{1,64}:)(?:(?P<login>[^/\s'\"<>?#]+(?=@)|[^/\s@:'\"<>]{1,64}:(?!\d{1,5}[/?#])[^\s@'\"<>]{1,40}(?=@))@)?"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*)?"
)
OF_IMAGES = ("docker", "docker-daemon", "library", "oras", "shub")
"""Words before "://" behind which a container's image stands (Apptainer's user guide, "Build a Container"; 2026-11)."""
HOST_AND_PORT = Expression(
    r"(?<![\w.@-])(?P<login>)(?P<host>[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,8}):(?P<port>\d{2,5})\b"
)
_HOST = r"(?P<host>[A-Za-z](?:[A-Za-z0-9-]|\.(?=[A-Za-z0-9])){1,252})"
PORT = Expression(r":\d{4,5}(?!\d)| port \d")
QUOTED_PEER = Expression(rf"(?P<before>[\"']){_HOST}(?=:\d{{4,5}}\\{{0,3}}[\"'])")
"""A host and its port in the description of a cluster, such as TF_CONFIG."""
TOLD_PEER = Expression(
    r"(?i)(?P<before>(?<![a-z])(?:connect(?:ed|ing|ion)?|address|server|listen(?:ing)?|peer|coordinator|chief|worker|master|host|tcp|at|on|to|from|via)"
    rf"(?:_(?:addr(?:ess)?|host))?(?: (?:to|on|at|from|with|is))?(?: |: ?|= ?)[\"']?){_HOST}(?=:\d{{4,5}}(?![\d.])| port \d{{2,5}}\b)"
)
TOLD_PEER_BEGINS = (
    "connect", "address", "server", "listen", "peer", "coordinator", "chief", "worker", "master", "host", "tcp ", "at ", "on ", "to ",
    "from ", "via ",
)  # fmt: skip
"""A host and its port behind a word such as "connect to"."""
LICENSE_SERVER = Expression(
    r"(?i)(?P<before>(?:license|lic_file)\w{0,40}[\"']?\s{0,2}[=:]\s{0,2}[\"']?(?:\d{2,5}@[\w.-]{1,200}[:;,]){0,8}\d{2,5}@)(?P<host>[A-Za-z][\w.-]{0,200})"
)
"""`LM_LICENSE_FILE=27000@rhino`"""
HOST_NAME = Expression(
    r"(?i)(?:^|_)(?:HOST|HOSTNAME|HOSTS|NODENAME|NODELIST|NODE_LIST|NODEFILE|MASTER_ADDR|ADDR|ADDRESS)$"
)
"""Names of environment variables whose values are names of hosts."""

_PUBLIC = frozenset(
    """nvidia.com tensorflow.org keras.io google.com googleapis.com github.com githubusercontent.com github.io python.org
    numpy.org scipy.org pytorch.org kubernetes.io docker.com ubuntu.com debian.org redhat.com fedoraproject.org kernel.org
    microsoft.com apple.com intel.com amd.com arm.com gnu.org apache.org mozilla.org w3.org ietf.org stackoverflow.com
    jupyter.org readthedocs.io schedmd.com no-color.org json-schema.org protobuf.dev abseil.io
    prefix.dev huggingface.co hf.co kaggle.com
    nvcr.io ghcr.io quay.io gcr.io docker.io rocm.com astral.sh""".split()
)
_PACKAGE_SITES = frozenset("pypi pythonhosted anaconda conda-forge npmjs".split())
"""Indexes of packages, under any of the ends that they have."""
_PUBLIC_LABELS = frozenset(
    """www docs doc developer download api storage blog forums support help security wiki man raw gist us grpc peps packaging slurm feature node catalog ngc
    pypi files conda repo registry archive deb ports cdn cdn-lfs pkgs colab research index""".split()
)


def is_public(host: str) -> bool:
    """A site that anybody reads, named in messages and pages: it tells nothing of the machine."""
    labels = host.casefold().strip(".").split(".")
    site = labels[-2:-1] + labels[-1:]
    of_packages = len(site) == 2 and site[0] in _PACKAGE_SITES and site[1] in ("org", "com")
    return (of_packages or ".".join(site) in _PUBLIC) and _PUBLIC_LABELS.issuperset(labels[:-2])


def is_foreign_host(name: str) -> bool:
    """By its end. One that could be a module's counts only with a digit or a dash, a country's behind two labels more."""
    *labels, end = name.casefold().split(".")
    if is_public(name):
        return False
    if end in _ENDS or (end in _COUNTRIES and len(labels) > 1):
        return True
    return end in _ENDS_OF_MODULES_TOO and any(char in "-0123456789" for char in name)


def is_private_ipv6(text: str) -> bool:
    if not any(character.isdigit() for character in text):
        return False  # C++'s "a::b"
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_private_ipv4(text: str, before: str, after: str, versions: frozenset[str]) -> bool:
    """An address, and no version number: NVIDIA's versions have four numbers, too ("12.5.1.2", "9.3.0.75").

    A version is what stands in a version's place anywhere in the report (`versions`), behind a comparison or
    behind the name of what has it; or what an address can't be: a number over 255 or with a leading zero.
    """
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    if text in versions or address.is_loopback or address.is_unspecified or text.startswith("255."):
        return False
    if _VERSION_BEFORE.compiled.search(before) or _VERSION_AFTER.compiled.search(after):
        return False
    return not (_LESS_OR_MORE.compiled.search(before) and not after.startswith(">"))


_NAME = r"[^/\\\s:;,'\"<>|*?()=~]+"
# A name may hold blanks ("/home/John Smith/venv") where a path goes on right behind it.
_SPACED = rf"{_NAME}(?: {_NAME}){{1,3}}(?=/)|{_NAME}"
HOME_OF_SOMEBODY = Expression(rf"(?P<base>/(?:home\d{{0,2}}|homes|[Uu]sers)/)(?P<name>{_SPACED})")
HOME_BEGINS = ("/home", "/users/")
_SHARED, _MIXED = ("u", "scratch", "nobackup"), ("data", "work")
"""Where clusters usually mount the disks that their users share; below the second ones stand mostly projects and data."""
MAYBE_BEGINS = tuple(f"/{each}/" for each in (*_SHARED, *_MIXED))
_LOGIN, _FULL_NAME = (
    r"[A-Za-z]{2,32}(?:[._][A-Za-z]{1,32})?\d{0,8}(?: [A-Z][a-z]{1,32})?",
    r"[A-Za-z]{2,32}\.[A-Za-z]{2,32}\d{0,8}",
)
MAYBE_A_HOME = Expression(
    rf"(?<![\w.~-])(?:(?P<base>/(?:{'|'.join(_SHARED)})/)(?P<name>{_LOGIN})|(?P<mixed>/(?:{'|'.join(_MIXED)})/)(?P<full>{_FULL_NAME}))(?=/|[\s:;,'\")]|$)"
)
"""Roots below which some sites keep homes and others models: only what can't be another word is a name."""
OWNED = Expression(
    r"(?<=/)(?P<name>[^/\\\s:;,'\"<>|*?()=~]{3,64})(?=/(?:\.local|\.cache|\.conda|\.config|\.pyenv|\.virtualenvs|\.keras|\.ssh|\.nv|miniconda3?|anaconda3?|miniforge3?|mambaforge|micromamba)(?:/|\b))"
)
"""A folder with what programs put into a home is one, wherever it is."""
WINDOWS_HOME = Expression(
    r"(?P<base>(?:(?<=[A-Za-z]:[\\/])|(?<=[A-Za-z]:[\\/]{2}))(?i:users)[\\/]{1,4})"
    r"(?P<name>[^/\\:;,'\"<>|*?()=]{1,64}(?=[\\/])|[^/\\\s:;,'\"<>|*?()=]+)"
)
SHARED_HOMES = frozenset(
    "linuxbrew shared public default jovyan runner ubuntu ec2-user vscode codespace gitpod sagemaker-user azureuser vagrant".split()
) | {"all users"}
"""Folders among homes that are nobody's, and the accounts that images and cloud machines come with."""
TILDE = Expression(r"(?<![\w/.~])~(?P<name>[A-Za-z_][\w.-]*)(?=/)")
USER_AT_HOST = Expression(
    r"(?<![\w.+-])(?P<user>[A-Za-z_][\w.+-]*)@(?P<host>(?:[A-Za-z0-9-]{1,63}\.){0,8}[A-Za-z][A-Za-z0-9-]{0,62})(?![\w-]|://|\.\w)"
)
UNITS = (
    "service",
    "slice",
    "scope",
    "socket",
    "mount",
    "target",
)  # systemd's user@1000.service is no host
USER_NAME = Expression(
    r"(?i)^(?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|PBS_O_LOGNAME|LSFUSER|JUPYTERHUB_USER|NB_USER)$"
)
"""Names of environment variables whose values are users."""
NAMED_USER = Expression(
    r"(?P<before>(?<![A-Za-z])(?:USER|LOGNAME|USERNAME|user(?:name)?)=[\"']?)(?P<name>[A-Za-z_][\w.-]{0,63})"
)

UNC_HOME = Expression(
    r"(?i)(?P<base>\\{2,4}[\w.$-]{1,200}(?:\\{1,2}[\w.-]{1,64})?\\{1,2}(?:homes?\d{0,2}|users|profiles?)\$?\\{1,2})"
    r"(?P<name>[^/\\\s:;,'\"<>|*?()=]{1,64}(?: [^/\\\s:;,'\"<>|*?()=]{1,64})?(?=\\)|[^/\\\s:;,'\"<>|*?()=]{1,64})"
)
UNC_SHARE_OF_SOMEBODY = Expression(
    r"(?P<before>\\{2,4})(?P<host>[\w.-]{1,200})(?P<gap>\\{1,2})(?P<name>[A-Za-z][\w.-]{2,63})(?=\$)"
)
SHARES = frozenset("admin ipc print wsl fax netlogon sysvol home homes users profiles".split())
"""Hidden shares that are nobody's."""
SYSTEM_FOLDERS = frozenset(
    "opt usr srv root mnt media var local lib lib64 home app apps workspace workspaces content tools shared".split()
)
FOLDERS_OF_THINGS = frozenset(
    """models dataset datasets checkpoints checkpoint ckpt imagenet coco mnist cifar cifar10 cifar100 tfrecords tmp temp
    cache images videos audio raw val conda miniconda3 anaconda3 miniforge3 software apps projects project team teams
    experiments runs results outputs envs venvs""".split()
)
"""Names below /data, /scratch and the like that are nobody's."""
ACCOUNTS = Expression(
    r"(?<![a-z])(?:e?[ug]id|groups)=\d{1,10}\([^()\s]{1,64}\)(?:,\d{1,10}\([^()\s]{1,64}\)){0,100}"
)
"""What `id` prints."""
ACCOUNT = Expression(r"(?<=\()[^()\s]{1,64}(?=\))")
LISTED = Expression(
    r"(?<![\w-])(?P<before>[bcdlps-](?:[r-][w-][xsStT-]){3}[.+@]?\s{1,4}\d{1,6}\s{1,4})(?P<user>[A-Za-z_][\w.-]{1,63})(?P<gap>\s{1,12})(?P<group>[A-Za-z_][\w.-]{0,63})(?=\s{1,12}\d)"
)
"""Owner and group of a file, as `ls -l` prints them."""
LISTED_BEGINS = tuple(f"{kind}{may}" for kind in "bcdlps-" for may in ("rw", "r-"))
SYSTEM_ACCOUNTS = frozenset(
    """root daemon adm sudo wheel video render audio users nogroup nobody dialout cdrom floppy dip plugdev netdev lpadmin lxd docker input
    kvm libvirt sambashare systemd-network staff tty disk mail games nvidia nvidia-persistenced vglusers ollama messagebus www-data""".split()
)
"""Accounts and groups that systems come with: they say who may use a device."""
