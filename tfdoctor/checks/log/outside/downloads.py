"""Downloads that failed: a certificate that can't be verified, a name without an address, a server that refuses."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.signatures.outside.errors import CERTIFICATE, FETCHED, HOST, NO_CREDENTIALS, NO_NAME

_WHY = {
    "unable to get local issuer certificate": "This Python has no list of the authorities that sign certificates, or not the one that signed this.",
    "self signed certificate in certificate chain": "Something between this machine and the server opens the connection, as a company's proxy or a virus scanner does, and signs with an authority of its own.",
    "self-signed certificate in certificate chain": "Something between this machine and the server opens the connection, as a company's proxy or a virus scanner does, and signs with an authority of its own.",
    "certificate has expired": "By this machine's clock the certificate is over, or the list of authorities here is an old one.",
}
"""OpenSSL's reasons (crypto/x509/x509_txt.c)."""
_OF_A_MAC = Fix(
    "Where this Python came from python.org, let it install its list of authorities: it comes without one",
    ('/Applications/Python*/"Install Certificates.command"',),
    "Homebrew's and conda's Pythons have no such file; for them take the next step.",
)
OF_A_COMPANY = Fix(
    "In a network whose proxy opens connections, lead Python to the proxy's own authority",
    note="Its administrator has the file: export SSL_CERT_FILE=/path/of/authority.pem, and REQUESTS_CA_BUNDLE for packages that use requests.",
)
KAGGLE = Fix(
    "In Kaggle, switch the session's Internet on",
    note='In the notebook\'s side panel: "Session options", "Internet". It asks for a telephone number once. For a competition without Internet, add the file as a dataset instead.',
)


def of_download(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where the exception is about no server."""
    if (found := CERTIFICATE.search(last.what)) is not None:
        return _certificate(facts, found["why"] or "", last)
    if NO_NAME.search(last.what):
        return _no_name(facts, last)
    if (denied := NO_CREDENTIALS.search(last.what)) is not None:
        return _denied(denied["number"])
    if (fetched := FETCHED.search(last.what)) is not None:
        return _refused(fetched["url"], fetched["why"])
    return None


def _server(last: Ending) -> str:
    found = HOST.search(last.what) or NO_NAME.search(last.what)
    return (found.groupdict().get("host") or "") if found else ""


def _certificate(facts: Facts, why: str, last: Ending) -> Meant:
    server = _server(last)
    title = f"The certificate of {server or 'the server'} could not be verified{f': {why}' if why else ''}."
    words = f"{_WHY.get(why, 'The server proves by a certificate who it is, and this Python could not verify it.')} So Python did not read the answer. TensorFlow is not what fails."
    python = interpreter(facts)
    newer = Fix(
        "Bring the list of authorities that pip knows, and have Python read it, in this shell",
        (f"{python} -m pip install --upgrade certifi", f"export SSL_CERT_FILE=$({python} -m certifi)"),
    )
    on_a_mac = value_or(facts.host.os, "") == "macos"
    return Meant(OF_THE_PROGRAM, title, words, (*([_OF_A_MAC] if on_a_mac else []), newer, OF_A_COMPANY))


def _no_name(facts: Facts, last: Ending) -> Meant:
    server = _server(last)
    title = (
        f"{server or 'A server'} could not be reached: its name has no address here, as without a network."
    )
    words = "The system that runs the program asked for the server's address and got none. Mostly there is no network, a name server is not reached, or the place allows no connections: a node of a cluster, a container, a notebook whose Internet is off. TensorFlow is not what fails."
    ask = Fix("See from the same place whether a name is found at all", (f"curl -sSI https://{server}" if server else "curl -sSI https://www.tensorflow.org",))  # fmt: skip
    bring = Fix("Where there is to be no network, fetch the file elsewhere and hand its path over", note="In your files: weights='/path/FILE.h5' in place of weights='imagenet', path='/path/mnist.npz' for a dataset.")  # fmt: skip
    kaggle = shown(facts).service == "kaggle"
    return Meant(OF_THE_PROGRAM, title, words, (*([KAGGLE] if kaggle else []), ask, bring))


def _refused(url: str, why: str) -> Meant:
    reason = why.strip().removeprefix("None -- ").rstrip(".")
    title = f"A file could not be fetched: {reason}."
    words = f"Keras fetches {url} where it is not kept from an earlier run, and the server or the way to it did not answer as it should. TensorFlow is not what fails."
    look = Fix("See from the same place what the server answers", (quoted("curl", "-sSI", url),), "404: the file is no longer there, so the program or package that names it has to be updated. 403: it is not handed out to everyone. No answer: the network.")  # fmt: skip
    by_hand = Fix("Or fetch the file in a browser, and put it where Keras keeps such files", note="Models are in ~/.keras/models, datasets in ~/.keras/datasets; Keras takes what is there.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (look, by_hand))


def _denied(number: str) -> Meant:
    known = number == "403"
    title = f"Google's storage did not let the program read or write: {'this account may not' if known else 'it did not say who asks'} (HTTP {number})."
    words = "The file is in Google's storage (gs://). TensorFlow asks there with the credentials of this machine: a file that a variable names, those of gcloud, or those of a machine in Google's cloud. TensorFlow and its installation are not what fails."
    log_in = Fix("Log in, so that programs on this machine have your credentials", ("gcloud auth application-default login",), "In Colab: from google.colab import auth; auth.authenticate_user(). For a service account: the variable GOOGLE_APPLICATION_CREDENTIALS names the file of its key.")  # fmt: skip
    grant = Fix("Have the owner of the bucket let this account in", note="Reading takes the role Storage Object Viewer, writing Storage Object Admin. A TPU reads with an account of its own, which its description names.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (grant, log_in) if known else (log_in, grant))
