"""Small wheels that look like TensorFlow's, and an index on this machine that serves them, well or badly."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUILD_INFO = """import collections
build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', {capabilities}),
 ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', {gpu}), ('is_rocm_build', False)])
"""
METADATA = """Metadata-Version: 2.1
Name: tensorflow
Version: {version}
Requires-Python: >=3.10
Requires-Dist: numpy>=1.26.0
Requires-Dist: protobuf<8.0.0,>=6.31.1
Provides-Extra: and-cuda
Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"

A description.
"""
CAPABILITIES = "['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']"
PLATFORM_TAGS = {"linux_x86_64": "manylinux_2_27_x86_64", "win_amd64": "win_amd64"}


def wheel_name(version: str, python: str = "310", platform: str = "linux_x86_64") -> str:
    return f"tensorflow-{version}-cp{python}-cp{python}-{PLATFORM_TAGS[platform]}.whl"


def wheel(
    version: str, gpu: bool = True, metadata: str = METADATA, padding: int = 400_000
) -> bytes:
    """A wheel's bytes. `padding` makes it larger than what a range read takes at once."""
    members = {
        "tensorflow/filler.bin": "".join(f"{number:07d}\n" for number in range(padding // 8)),
        f"tensorflow-{version}.dist-info/METADATA": metadata.format(version=version),
        "tensorflow/python/platform/build_info.py": BUILD_INFO.format(
            capabilities=CAPABILITIES, gpu=gpu
        ),
        "tensorflow/include/third_party/gpus/cuda/cuda_config.h": '#define TF_CUDA_VERSION "12.5.1"\n',
        "tensorflow/include/third_party/gpus/cudnn/include/cudnn_version.h": (
            "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 3\n#define CUDNN_PATCHLEVEL 0\n"
        ),
        "tensorflow/include/external/cuda_nccl/include/nccl.h": (
            "#define NCCL_MAJOR 2\n#define NCCL_MINOR 27\n#define NCCL_PATCH 7\n"
        ),
        "tensorflow/include/google/protobuf/stubs/common.h": "#define GOOGLE_PROTOBUF_VERSION 6031001\n",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return made.getvalue()


class Site:
    """What the index serves: wheels by name, and how it misbehaves. `requested` counts bytes that it sent."""

    def __init__(self) -> None:
        self.wheels: dict[str, bytes] = {}
        self.yanked: set[str] = set()
        self.page: Callable[[], tuple[int, bytes]] | None = None
        self.ranges = True
        self.statuses: list[int] = []  # answers to the next requests for wheels, before it behaves
        self.sent = 0
        self.address = ""

    def listing(self, project: str) -> bytes:
        lines = []
        mine = {
            name: each
            for name, each in self.wheels.items()
            if name.startswith(project.replace("-", "_") + "-")
        }
        for name, content in mine.items():
            yanked = ' data-yanked="broken"' if name in self.yanked else ""
            digest = hashlib.sha256(content).hexdigest()
            lines.append(f'<a href="/files/{name}#sha256={digest}"{yanked}>{name}</a>')
        return ("<!DOCTYPE html><html><body>" + "\n".join(lines) + "</body></html>").encode()


class Handler(BaseHTTPRequestHandler):
    """Answers for the `site` of its server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Says nothing: the test's output is the test's."""

    @property
    def site(self) -> Site:
        assert isinstance(self.server, Server)
        return self.server.site

    def do_GET(self) -> None:
        site = self.site
        if self.path.startswith("/simple/"):
            status, body = (
                site.page() if site.page else (200, site.listing(self.path.split("/")[2]))
            )
            self.answer(status, body, {"Content-Type": "text/html"})
        elif site.statuses:
            self.answer(site.statuses.pop(0), b"no", {"Retry-After": "0"})
        elif self.path.rpartition("/")[2] in site.wheels:
            self.piece(site.wheels[self.path.rpartition("/")[2]])
        else:
            self.answer(404, b"no such file", {})

    def do_HEAD(self) -> None:
        """uv asks so whether ranges are answered."""
        content = self.site.wheels.get(self.path.rpartition("/")[2])
        self.send_response(404 if content is None else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()

    def piece(self, content: bytes) -> None:
        wanted = self.headers.get("Range", "")
        if not self.site.ranges or not wanted.startswith("bytes="):
            self.answer(200, content, {})
            return
        first_text, _, last_text = wanted[6:].partition("-")
        first = int(first_text) if first_text else max(0, len(content) - int(last_text))
        last = int(last_text) if first_text and last_text else len(content) - 1
        last = min(last, len(content) - 1)
        stated = {"Content-Range": f"bytes {first}-{last}/{len(content)}"}
        self.answer(206, content[first : last + 1], stated)

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for at in range(0, len(body), 1 << 16):
                self.site.sent += self.wfile.write(body[at : at + (1 << 16)])
        except (BrokenPipeError, ConnectionResetError):
            pass  # the reader hung up, as it does where ranges are not answered


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.site = site


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    server = Server(site)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_address[1]}/simple"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
