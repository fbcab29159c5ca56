"""What gives versions, GPUs and places away: one form each, and words without which no line can fit it."""

from __future__ import annotations

from tfdoctor.ask.logs.machine.line_index import Clue
from tfdoctor.base.expressions import Expression

ANSWER = Clue(
    r"[Ff]ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?(?P<name>CUDA_ERROR_[A-Z_]{3,60}|UNKNOWN ERROR \((?P<number>\d{1,4})\))"
    r"|[Cc]all to cuInit results in (?P<numba>CUDA_ERROR_[A-Z_]{3,60})|(?P<unknown>CUDA unknown error) - this may be due|(?P<none>No CUDA GPUs are available|cudaErrorNoDevice: )",
    ("to cuInit", "CUDA unknown error", "No CUDA GPUs are available", "cudaErrorNoDevice"),
)
"""As TensorFlow, numba, PyTorch and CuPy tell it."""
LIBCUDA = Clue(
    r"(?:libcuda reported version is: |kernel version [1-9][\d.]{0,14} does not match DSO version )(?P<version>\d{1,4}(?:\.\d{1,4}){1,2})",
    ("libcuda reported version", "does not match DSO version"),
)
MODULE = Clue(
    r"(?:kernel reported version is|[Pp]ossibly insufficient driver version): (?P<version>\d{1,4}(?:\.\d{1,4}){1,2})|kernel version (?P<beside>[1-9]\d{0,3}(?:\.\d{1,4}){1,2}) does not match DSO|NVRM version: NVIDIA UNIX .{0,60}Kernel Module.{0,20}?\s(?P<proc>\d{3}(?:\.\d{1,3}){1,2})\s",
    ("kernel reported version is", "insufficient driver version", "NVRM version", "does not match DSO version"),
)  # fmt: skip
DEVICE = Expression(
    r"device: (?P<index>\d{1,3}), name: (?P<name>[^,]{2,80}), pci bus id: (?P<bus>[0-9a-fA-F:.]{7,20}), compute capability: (?P<capability>\d{1,2}\.\d)"
)
FOUND = Expression(
    r"name: (?P<name>[^,]{2,60}?) computeCapability: (?P<capability>\d{1,2}\.\d)|^name: (?P<old>[^,]{2,60}?) major: (?P<major>\d{1,2}) minor: (?P<minor>\d)"
)
STREAM = Expression(
    r"StreamExecutor device \((?P<index>\d{1,3})\): (?P<name>[^,]{2,80}), Compute Capability (?P<capability>\d{1,2}\.\d)"
)
NUMBERED = Expression(r"Found device (?P<index>\d{1,3}) with properties")
OF_DEVICES = ("device: ", "StreamExecutor device", "name: ", "Found device ")
"""One of these stands in each line that DEVICE, STREAM, FOUND or NUMBERED means."""
CAPABILITY = Clue(
    r"(?:compute capability|Compute Capability|Cuda compute capability|sm_)[ :]{0,2}(?P<capability>\d{1,2}\.\d|(?<=sm_)\d{2,3})\b",
    ("ompute capability", "ompute Capability", "sm_"),
)
TENSORFLOW = Clue(
    r"(?i)\btensorflow(?:[-_](?:gpu|cpu|intel|macos))?(?:[ _]version(?: ?\([^)\n]{1,40}\)| and how [^:\n]{1,60})?)?(?:\.__version__)?(?:==| is |[-:=> (]{1,40}|[ (,]{1,3}(?:the )?(?:latest|newest|current|currently|installed|stable)\b[a-z ]{0,30}[ :=]{1,2})['\"`(v]{0,2}(?P<version>\d{1,2}\.\d{1,3}\.\d{1,3}(?:rc\d{1,3}|\.dev\d{1,10})?)\b(?!\+\w|-(?:dev|nightly))",
    ("tensorflow",),
    small=True,
)
TEMPLATE = Clue(
    r"(?i)^(?:#{2,4} TensorFlow version\b|TensorFlow version:?\s{0,9}$)",
    ("tensorflow version",),
    small=True,
)
"""A heading of an issue's form: the answer stands alone on one of the next lines."""
PYTHON_HEADING = Clue(r"(?i)^#{2,4} Python version\b", ("python version",), small=True)
BARE_PYTHON = Expression(r"(?i)^(?:python |v)?(?P<version>[23]\.\d{1,2}(?:\.\d{1,2})?)$")
BARE = Expression(
    r"(?i)^(?:v[\d.]{3,10}-[\w.-]{3,60} )?(?:tensorflow |tf |v)?[ =]{0,3}(?P<version>\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)$"
)
PRINTED = Expression(r"^['\"]?(?P<version>[12]\.\d{1,2}\.\d{1,2}(?:rc\d{1,3})?)['\"]?(?:\s|$)")
"""What a program that asked for tf.__version__ printed, alone or before something else."""
TF_SHORT = Clue(
    r"(?i)\b(?:TF|tensor ?flow(?:[-_](?:gpu|cpu|intel|macos))?) ?(?:version|v|:)?[ :=`]{0,3}(?P<version>[12]\.\d{1,2}(?:\.\d{1,2})?)\b(?!\d|\.\d|\+\w|-(?:dev|nightly))",
    ("tf", "tensorflow", "tensor flow"),
    small=True,
)
PYTHON = Clue(
    r"\bC?Python (?P<version>[23]\.\d{1,2}\.\d{1,2})\b|[\\/](?:lib|lib64)[\\/]python(?P<folder>[23]\.\d{1,2})[\\/]|\bPython(?P<windows>[23]\d{1,2})[\\/]"
    r"|\b[Pp]ython(?:[ _][Vv]ersion)? ?(?::|={1,2}) ?(?P<spoken>[23]\.\d{1,2}\.\d{1,2})\b"
    r"|\b[Pp]ython [Vv]ersion(?: ?\([^)]{1,40}\))?\*{0,2} ?:\*{0,2} {0,3}(?:[Pp]ython )?(?P<field>[23]\.\d{1,2})\s{0,9}$"
    r"|[\\/](?:lib|temp)\.[\w.-]{3,40}?-(?:cpython-(?P<tag>3\d{1,2})|(?P<built>[23]\.\d{1,2}))(?:[\\/]|$)|[\\/]include[\\/]python(?P<header>[23]\.\d{1,2})\b"
    r"|\bI(?:'m| am| use| used) (?:using )?[Pp]ython (?P<words>[23]\.\d{1,2})\b",
    ("ython", "build/lib.", "build/temp.", "build\\lib.", "build\\temp."),
)
"""A build names its folders after the system and the Python that it is for."""
PIP_LINE = Expression(
    r"^(?P<name>[A-Za-z][\w.-]{0,60}) {2,60}(?P<version>\d[\w.+!-]{0,40})(?: {2,}\S.{0,200})?$|^(?P<frozen>[A-Za-z][\w.-]{0,60})==(?P<pinned>\d[\w.+!-]{0,40})$"
)
PIP_HEAD = Expression(r"^Package {2,60}Version")
FLAGS = Clue(
    r"^(?:flags|Features|Flags)\s{0,10}: {0,60}(?P<flags>(?:\w{1,30} {1,3}){0,400}(?:fpu|mmx|sse2?|ssse3|sse4_[12]|fp|asimd)(?: {1,3}\w{1,30}){0,400})\s{0,9}$",
    ("flags", "Flags", "Features"),
)
"""Of /proc/cpuinfo and lscpu, also where somebody cut the list: each x86 or ARM that TensorFlow was built for has one of these."""
MODEL = Clue(r"^[Mm]odel name\s{0,10}: {0,30}(?P<model>\S.{0,100})$", ("odel name",))
CONTAINER_HOST = Clue(
    r"(?:on this host \(|hostname: |diagnostic information for host: )(?P<host>[0-9a-f]{12})\b",
    ("on this host (", "hostname: ", "diagnostic information for host: "),
)
POD_HOST = Clue(
    r"(?:on this host \(|hostname: |diagnostic information for host: |\w@)(?:jupyter-[\w.-]{1,60}|[a-z][\w-]{1,50}-[4-9b-df]{8,10}-[b-df-hj-np-tv-z2-9]{5})(?![\w-])",
    ("on this host (", "hostname: ", "diagnostic information for host: ", "@"),
)
"""JupyterHub names a user's pod jupyter-NAME (KubeSpawner; DockerSpawner leaves a container its number as host name), and a Deployment names its pods
NAME-HASH-FIVE in an alphabet without vowels, the hash's digits among its last ten letters (KubeSpawner's documentation; k8s.io/apimachinery, util/rand;
read 2026-11-23)."""
CONTAINERS = (
    (Clue(r"[Kk]ubernetes|kubectl|\bk8s\b|[Kk]ubeflow|\bpod[/ ]|\bPod\b|container_id|kubelet|OOMKilled(?!\")|Last State:|\bTFJob\b|KUBERNETES_|nvidia\.com/gpu:", ("ubernetes", "kube", "Kubeflow", "k8s", "pod", "Pod", "container_id", "OOMKilled", "Last State:", "TFJob", "KUBERNETES_", "nvidia.com/gpu:")), "kubernetes"),
    (Clue(r"\bdocker\b|docker://|root@[0-9a-f]{12}[:/]|/\.dockerenv|NVIDIA Release|Container image Copyright|nvidia-container-cli|(?:Creating|Recreating|Starting) [\w.-]{1,80} \.\.\. (?:\r?\n|done|$)|[✔⠿✓] Container [\w.-]{1,80} {1,9}(?:Created|Started|Recreated|Starting)|\b(?:nvidia/cuda|tensorflow/tensorflow|tensorflow/serving|nvidia/tensorflow):\w|\bnvcr\.io/nvidia/l4t-|^REPOSITORY {2,40}TAG {2,40}IMAGE ID\b", ("nvcr.io/nvidia/l4t-", "REPOSITORY", "docker", "root@", "NVIDIA Release", "Container image Copyright", "nvidia-container-cli", "Creating ", "Recreating ", "Starting ", " Container ", "nvidia/cuda:", "tensorflow/tensorflow:", "tensorflow/serving:", "nvidia/tensorflow:")), "docker"),
    (Clue(r"\b(?:singularity|apptainer)\b|/\.singularity\.d/|^(?:Singularity|Apptainer)> |^INFO: {4}Converting SIF file to temporary sandbox", ("singularity", "apptainer", "Singularity>", "Apptainer>", "Converting SIF file")), "apptainer"),
    (Clue(r"LD_LIBRARY_PATH[:=] ?\S{0,300}/usr/local/nvidia/lib64", ("/usr/local/nvidia/lib64",)), "docker"),
)  # fmt: skip
"""The first that is seen. The last is the variable as NVIDIA's CUDA images set it (public Dockerfiles that start from them, read 2026-11-22)."""
SLURM = Clue(
    r"slurmstepd|\bsrun(?:: | --?\w)|SLURM_JOB|slurm_script|\bsbatch\b",
    ("slurm", "srun: ", "srun -", "SLURM_JOB", "sbatch"),
)
SMI = Clue(
    r"NVIDIA-SMI\s{1,8}(?P<smi>\d{3}(?:\.\d{1,3}){1,2})\s.{0,40}?Driver Version: ?(?P<driver>\d{3}(?:\.\d{1,3}){1,2})",
    ("NVIDIA-SMI ",),
)
"""nvidia-smi and the driver are of one release everywhere but in WSL, where the one is Linux' and the other Windows'."""
WSL = Clue(
    r"microsoft-standard|(?<!Please use )\bWSL ?2\b|/usr/lib/wsl/|\w@(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,8}:[~/]|(?<![\w.])/mnt/[a-z]/(?:Users|Windows|Program Files)\b",
    ("WSL", "/usr/lib/wsl/", "microsoft-standard", "@DESKTOP-", "@LAPTOP-", "/mnt/"),
)
"""Windows names a new machine DESKTOP- or LAPTOP-, and a Linux shell with that name runs in WSL, where its disks are below /mnt."""
WINDOWS = Clue(
    r"^Python \d.{1,120}\] on win32$|\b[A-Z]:\\|File \"[a-z]:\\|\b[a-z]:\\(?:[Uu]sers|[Pp]rogram|[Pp]ython|[Aa]naconda|[Mm]iniconda|[Ww]indows)|\\site-packages\\|\bnvcuda\.dll|64_\d{1,3}\.dll|[ .]\\tensorflow/|^(?:Edition: )?[Ww]indows (?:7|8|8\.1|10|11|Server)\b|\b(?:on|in|under|using|is) [Ww]indows ?(?:7|8|8\.1|10|11)\b|\b(?:3221225477|3221225501|3221225725|3221226356|3221226505|1073741819|1073741571|1073740791|1073740940)\b|0x[Cc]0000(?:005|01[Dd]|0[Ff][Dd]|374|409)|\b0x00007FF[0-9A-F]{9}\b|^[-*> ]{0,6}(?:OS|System|Operating [Ss]ystem|OS [Pp]latform[\w ]{0,40})(?: ?\([^)]{1,60}\))?\*{0,2} ?[:=]\*{0,2} {0,3}(?:Microsoft )?[Ww]indows\b|(?:Downloading|Using cached) \S{1,200}-win(?:32|_amd64)\.whl\b|TensorFlow GPU support is not available on native Windows|(?:[\w.-]/|\bplatform : )win-(?:64|arm64)\b",
    ("] on win32", "/win-", "platform : win-", "-win_amd64.whl", "-win32.whl", "indows", ":\\", "\\site-packages\\",
     ".dll", "\\tensorflow/", "32212", "10737", "0xC0000", "0xc0000", "0x00007FF"),
)  # fmt: skip
WINDOWS_IN_WORDS = Clue(
    r"\b[Ww]in(?:dows)? ?(?:8\.1|10|11)\b",
    ("indows 8.1", "indows 10", "indows 11", "in10", "in11", "indows10", "indows11"),
)
"""People's own words: what runs in a container or in WSL is Linux on such a machine, too."""
MACOS = Clue(
    r"(?<!/[a-z])/Users/[^/]{1,60}/|~/Library/|macOS|\.dylib\b|Abort trap: 6|Illegal instruction: 4|\bKilled: 9\b|Segmentation fault: 11|Bus error: 10|\bon darwin\b|^\[Clang .{1,40}\] on darwin|(?:Code Signature Invalid|Namespace CODESIGNING)|-darwin(?:\d{2})?\b|/var/folders/[\w+]{1,3}/|(?:[\w.-]/|\bplatform : )osx-(?:64|arm64)\b|Metal device set to|(?:Downloading|Using cached|pip3? install) \S{1,200}-macosx_\d|\b(?:lib|temp)\.macosx-\d|/opt/homebrew/"
    r"|[\w.-]{1,40}@[\w.-]{0,40}Mac(?:Book|-mini|-Studio)[\w.-]{0,20} [^%\n]{1,80} % |Mac(?:Book|\s?[Mm]ini|\s?Studio)\b.{0,40}\bM[1-5]\b",
    ("/Users/", "~/Library/", "/var/folders/", "/osx-", "platform : osx-", "macOS", ".dylib", "Abort trap: 6",
     "Illegal instruction: 4", "Killed: 9", "fault: 11", "error: 10", "darwin", "Code Signature", "CODESIGNING",
     "Metal device", "-macosx_", ".macosx-", "/opt/homebrew/", "MacBook", "Mac-mini", "Mac-Studio", "Mac mini",
     "Mac Mini", "Mac Studio"),
)  # fmt: skip
ZSH = Clue(
    r"^zsh: (?:killed|illegal hardware instruction|abort|segmentation fault|bus error)\b|\bApple (?:M\d|[Ss]ilicon)\b|\bM[1-9] (?:Pro|Max|Ultra)\b|\bMac[Bb]ook\b",
    ("zsh: ", "Apple ", " Pro", " Max", " Ultra", "acBook", "acbook"),
)
"""The shell of every Mac since 2019, and of few others; and the names of Macs in people's words."""
OF_LINUX = Clue(
    r"/home/\w|-linux-gnu|linux_x86_64|\.so\b|/usr/l|[Uu]buntu|[Dd]ebian|\b[Ll]inux\b|\b[Dd]ocker|\b[Ww][Ss][Ll]",
    ("/home/", "linux", "Linux", ".so", "/usr/l", "buntu", "ebian", "ocker", "WSL", "wsl", "Wsl"),
)
LINUX = Clue(
    r"/home/\w|\bon linux\b|-linux-gnu|\.so\b|/usr/lib/python|/opt/conda|/proc/cpuinfo|\blscpu\b|[Uu]buntu|[Dd]ebian|microsoft|CUDA|\bcuda",
    ("/home/", "linux", ".so", "/usr/lib/python", "/opt/conda", "/proc/cpuinfo", "lscpu", "buntu", "ebian", "microsoft", "CUDA", "cuda"),
)  # fmt: skip
