"""Notebooks whose kernel died, and hosts of programs that say how much memory they gave."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import CONTAINER, JUPYTER, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_kernel = partial(Signature, code="jupyter-kernel-died", speaker=JUPYTER)
_limit = partial(Signature, code="container-oom-killed")
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

SIGNATURES = (
    _limit(
        "colab-memory",
        anchor="Your session crashed after using all available RAM",
        speaker=JUPYTER,
        samples=("Your session crashed after using all available RAM.",),
        near=("Your session crashed for an unknown reason.",),
    ),
    _limit(
        "kaggle-memory",
        anchor="our notebook tried to allocate more memory than is available",
        speaker=JUPYTER,
        samples=("Your notebook tried to allocate more memory than is available. It has restarted.",),
        near=("Your notebook was stopped because it exceeded the max allowed execution duration.",),
        sources=(SEVERAL_FILES,),
    ),
    _limit(
        "host-of-services-memory",
        anchor=" exceeded with ",
        also=("soft memory limit of ", "hard memory limit of "),
        form=r"[Mm]emory limit of (?P<limit>[\d.]{1,12} ?[KMGT]i?B) exceeded with (?P<used>[\d.]{1,12} ?[KMGT]i?B) used|[Ee]xceeded (?:soft|hard) memory limit of (?:[\d.]{1,12} ?[KMGT]i?B)",
        speaker=CONTAINER,
        samples=(
            "Memory limit of 512 MiB exceeded with 517 MiB used. Consider increasing the memory limit, see https://cloud.google.com/run/docs/configuring/memory-limits",
            "Exceeded soft memory limit of 512 MB with 530 MB after servicing 14 requests total.",
        ),
        near=("The quota of 12 requests was exceeded with 13 requests.",),
        sources=(SEVERAL_FILES,),
    ),
    _limit(
        "heroku-memory",
        anchor=" (Memory quota ",
        form=r"R1[45] \(Memory quota (?:vastly )?exceeded\)",
        speaker=CONTAINER,
        sure=LIKELY,
        samples=("heroku[web.1]: Error R14 (Memory quota exceeded)", "Error R15 (Memory quota vastly exceeded)"),
        near=("Error R12 (Exit timeout)",),
        sources=(SEVERAL_FILES,),
    ),
    _limit(
        "shinyapps-memory",
        anchor="]: Out of memory!",
        form=r"shinyapps\[system\]: Out of memory!",
        speaker=CONTAINER,
        samples=("2020-12-30T09:34:42.960610+00:00 shinyapps[system]: Out of memory!",),
        near=("shinyapps[3428026]: Out of memory! Take a break.",),
        sources=("tensorflow/tensorflow#46042 (2020-12)",),
    ),
    *(
        _kernel(name, anchor=anchor, form=form, samples=samples, near=near, sources=sources)
        for name, anchor, form, samples, near, sources in (
            ("kernel-appears-dead", "appears to have died", r"[Tt]he kernel (?:for .{1,200} )?appears to have died", ("The kernel appears to have died. It will restart automatically.", "The kernel appears to have died and will restart automatically.", "The kernel for Untitled.ipynb appears to have died. It will restart automatically."), ("the worker appears to have died",), (SEVERAL_FILES,)),
            ("kernel-restarter", "KernelRestarter: restarting kernel", "", ("[W 2024-05-01 12:00:00.000 ServerApp] AsyncIOLoopKernelRestarter: restarting kernel (1/5), keep random ports", "[I 12:00:00.000 NotebookApp] KernelRestarter: restarting kernel (1/5), keep random ports"), ("The kernel is idle",), (SEVERAL_FILES,)),
            ("kernel-restarted-by-itself", " restarted", rf"\bkernel {_UUID} restarted\b", ("WARNING:root:kernel 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab restarted", "[W 2024-05-01 12:00:00.000 ServerApp] kernel 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab restarted"), ("[I 12:00:00.000 NotebookApp] Kernel restarted: 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab", "[I 12:00:00.000 NotebookApp] Kernel started: 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab"), ("jupyter-server/jupyter_server:services/kernels/websocket.py (2026-11)",)),
            ("kernel-dead-error", "DeadKernelError", "", ("nbclient.exceptions.DeadKernelError: Kernel died",), ("The kernel is idle",), ()),
            ("kernel-crashed-cell", "he Kernel crashed while executing code in the", "", ("The Kernel crashed while executing code in the current cell or a previous cell. Please review the code in the cell(s) to identify a possible cause of the failure.", "The Kernel crashed while executing code in the the current cell or a previous cell."), ("The kernel is idle",), (SEVERAL_FILES,)),
            ("kernel-future-cancelled", "anceled future for execute_request message before replies were done", "", ("Canceled future for execute_request message before replies were done",), ("The kernel is idle",), (SEVERAL_FILES,)),
            ("kernel-session-crashed", "Your session crashed for an unknown reason", "", ("Your session crashed for an unknown reason.",), ("The kernel is idle",), ()),
            ("kernel-is-dead", "ernel is dead", r"\b[Kk]ernel is dead\b", ("Error: Kernel is dead",), ("The colonel is deaf",), ("microsoft/vscode-jupyter#7600 (2021-09)",)),
            ("kernel-has-died", "ernel has died", r"\b[Kk]ernel has died\b", ("The kernel has died, would you like to restart it?",), ("The kernel has started",), ()),
            ("kernel-died-restarting", "ernel died, restarting", r"\b[Kk]ernel died, restarting", ("Kernel died, restarting", "The kernel died, restarting..."), ("Kernel restarting",), ("spyder-ide/spyder:spyder/plugins/ipythonconsole/widgets/shell.py (2026-11)", "spyder-ide/spyder#8465 (2018-12)")),
            ("kernel-died-of-console", "kernel died: ", r"(?:traitlets:|\] |^)kernel died: \d{1,5}(?:\.\d{1,20})?\s{0,3}$", ("WARNING:traitlets:kernel died: 6", "[SpyderQtConsole] kernel died: 3.5"), ("logger: kernel died: cannot connect",), ("jupyter/qtconsole:qtconsole/frontend_widget.py (2026-11)", "spyder-ide/spyder#5380 (2017-10)")),
            ("kernel-process-died", "ernel process died", r"\b[Kk]ernel process died\b", ("12:03:15.325 [error] Disposing session as kernel process died ExitCode: undefined, Reason: ",), ("the child process died",), ("microsoft/vscode-jupyter:src/kernels/raw/session/rawKernelConnection.node.ts (2026-11)",)),
            ("kernel-died-executing", "ernel died ", r"\b[Kk]ernel died (?:while waiting for execute reply|before replying to kernel_info)", ("[NbConvertApp] ERROR | Kernel died while waiting for execute reply.", "RuntimeError: Kernel died before replying to kernel_info"), ("the colonel died while waiting for help", "The kernel died of old age"), ("mljar/mercury#46 (2022-02)",)),
            ("kernel-without-ipykernel", "o module named ", r"(?:(?P<file>[\w./~\\:-]{1,300}[Pp]ython[\d.]{0,5}(?:\.exe)?): )?\b[Nn]o module named '?ipykernel(?:_launcher)?\b", ("~/anaconda3/envs/sm/bin/python: No module named ipykernel_launcher", "ModuleNotFoundError: No module named 'ipykernel'"), ("No module named ipywidgets",), ("google-research/google-research#1591 (2023-05)",)),
            ("kernel-needs-package", "unning cells with '", r"[Rr]unning cells with '.{1,120}?' requires (?:the )?(?P<package>ipykernel|notebook|jupyter and notebook|jupyter) package", ("Running cells with 'Python 3.9.7 64-bit' requires notebook package.", "Running cells with 'tf (Python 3.10.4)' requires the ipykernel package."), ("Running cells with 'care'",), (SEVERAL_FILES,)),
            ("kernel-unresponsive", "Python kernel is unresponsive", "", ("Fatal error: The Python kernel is unresponsive.",), ("The kernel is responsive",), (SEVERAL_FILES,)),
        )
    ),
)  # fmt: skip
