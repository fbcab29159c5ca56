"""Errors whose last line does not say what is the case: encodings, servers, TPUs, front-ends."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.findings.model import Finding


def _root(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def _traceback(*frames: str, error: str) -> tuple[str, ...]:
    return ("Traceback (most recent call last):", *frames, error)


def _frame(file: str, line: str = "x()", function: str = "run") -> str:
    return f'  File "{file}", line 12, in {function}\n    {line}'


@pytest.mark.parametrize("codec", ["charmap", "cp949", "gbk", "ascii", "latin-1"])
def test_a_text_that_the_console_does_not_hold(codec: str) -> None:
    found = _root(
        *_traceback(
            _frame(r"C:\work\train.py", "model.fit(x, y)", "<module>"),
            _frame(r"C:\e\lib\site-packages\keras\src\utils\progbar.py"),
            error=f"UnicodeEncodeError: '{codec}' codec can't encode characters in position 1-2: character maps to <undefined>",
        )
    )
    assert (found.code, "Keras' progress bar" in found.title) == ("python-exception", True)
    assert "PYTHONUTF8" in found.fixes[0].commands[0]


def test_half_characters_are_no_matter_of_an_encoding() -> None:
    found = _root(*_traceback(_frame("/home/me/a.py"), error="UnicodeEncodeError: 'utf-8' codec can't encode character '\\udc80' in position 3: surrogates not allowed"))  # fmt: skip
    assert not any("PYTHONUTF8" in each for fix in found.fixes for each in fix.commands)


def test_a_path_that_tensorflow_can_not_open_on_windows() -> None:
    found = _root(
        *_traceback(
            _frame(r"C:\Users\me\app.py", "m = tf.keras.models.load_model(p)", "<module>"),
            _frame(r"C:\e\lib\site-packages\keras\src\saving\saving_api.py"),
            _frame(r"C:\e\lib\site-packages\tensorflow\python\lib\io\file_io.py", function="file_exists_v2"),
            error="UnicodeDecodeError: 'utf-8' codec can't decode byte 0xd0 in position 84: invalid continuation byte",
        )
    )
    assert "path" in found.title and "ASCII" in found.title


@pytest.mark.parametrize(
    ("byte", "at", "words"), [("0x89", 0, "PNG"), ("0xff", 0, "JPEG"), ("0x8b", 1, "gzip"), ("0xe9", 77, "")]
)
def test_a_file_that_is_no_text(byte: str, at: int, words: str) -> None:
    found = _root(*_traceback(_frame("/home/me/read.py", "text = open(p).read()", "<module>"), error=f"UnicodeDecodeError: 'utf-8' codec can't decode byte {byte} in position {at}: invalid start byte"))  # fmt: skip
    assert found.title.startswith("What was read as text is none") and words in found.explanation


def test_certificates_are_installed_by_a_step_of_its_own_on_macs_alone() -> None:
    why = "<urlopen error [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:997)>"
    mac = _root(*_traceback(_frame("/Users/me/a.py", "load_data()", "<module>"), error=f"urllib.error.URLError: {why}"))  # fmt: skip
    linux = _root(*_traceback(_frame("/home/me/a.py", "load_data()", "<module>"), error=f"urllib.error.URLError: {why}"))  # fmt: skip
    assert "Install Certificates.command" in mac.fixes[0].commands[0]
    assert not any("Install Certificates" in each for fix in linux.fixes for each in fix.commands)
    assert (
        linux.title
        == "The certificate of the server could not be verified: unable to get local issuer certificate."
    )


@pytest.mark.parametrize(
    "words",
    [
        "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "urllib.error.URLError: <urlopen error [Errno 11001] getaddrinfo failed>",
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='tfhub.dev', port=443): Max retries exceeded (Caused by NameResolutionError(\"Failed to resolve 'tfhub.dev'\"))",
    ],
)
def test_a_name_without_an_address(words: str) -> None:
    found = _root(*_traceback(_frame("/home/me/a.py"), error=words))
    assert "its name has no address" in found.title


def test_kaggle_has_a_switch_for_it() -> None:
    found = _root(*_traceback(_frame("/kaggle/working/a.py"), error="Exception: URL fetch failure on https://storage.googleapis.com/x.h5: None -- [Errno -3] Temporary failure in name resolution"))  # fmt: skip
    assert "Internet" in found.fixes[0].title


def test_a_file_that_a_server_has_no_more() -> None:
    found = _root(*_traceback(_frame("/home/me/a.py"), error="Exception: URL fetch failure on https://example.com/w.h5: 404 -- Not Found"))  # fmt: skip
    assert found.title == "A file could not be fetched: 404 -- Not Found."
    assert found.fixes[0].commands == ("curl -sSI https://example.com/w.h5",)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("ValueError: Please provide a TPU Name to connect to.", "looks for a TPU"),
        ("KeyError: 'COLAB_TPU_ADDR'", "looks for a TPU"),
        ("tensorflow.python.framework.errors_impl.InvalidArgumentError: No OpKernel was registered to support Op 'ConfigureDistributedTPU' used by {{node ConfigureDistributedTPU}} with these attrs: []", "built without support for TPUs"),
    ],
)  # fmt: skip
def test_tpus(error: str, words: str) -> None:
    assert words in _root(*_traceback(_frame("/content/train.py"), error=error)).title


def test_a_front_ends_own_error_behind_a_death() -> None:
    found = _root(
        *_traceback(
            _frame(r"C:\e\Lib\site-packages\spyder\plugins\ipythonconsole\widgets\shell.py", function="_handle_kernel_died"),
            error='TypeError: can only concatenate str (not "NoneType") to str',
        )
    )  # fmt: skip
    assert (found.code, "Spyder" in found.title) == ("jupyter-kernel-died", True)


def test_parts_of_a_front_end_that_do_not_fit() -> None:
    frames = (_frame("/opt/e/lib/python3.9/site-packages/qtconsole/a.py"), _frame("/opt/e/lib/python3.9/site-packages/spyder/b.py"))  # fmt: skip
    error = "TypeError: show() got an unexpected keyword argument 'prompt'"
    found = _root(*_traceback(*frames, error=error))
    assert (found.code, "qtconsole and spyder" in found.title) == ("package-import-failed", True)
    own = _root(*_traceback(_frame("/home/me/a.py", "show(prompt=1)", "<module>"), error=error))
    assert own.code == "python-exception"


@pytest.mark.parametrize(
    ("error", "package"),
    [
        ("ImportError: `load_weights` requires h5py.", "h5py"),
        ("ImportError: Missing optional dependency 'openpyxl'.  Use pip or conda to install openpyxl.", "openpyxl"),
        ("ImportError: You must install pydot (`pip install pydot`) for plot_model to work.", "pydot"),
    ],
)  # fmt: skip
def test_what_a_message_says_is_lacking(error: str, package: str) -> None:
    found = _root(*_traceback(_frame("/home/me/a.py"), error=error))
    assert found.title.startswith(f"{package} is not installed")
    assert found.fixes[0].commands == (f"python -m pip install {package}",)


@pytest.mark.parametrize("name", ["deepface[all]", ".[tf]", "keras==3.*"])
def test_names_that_zsh_takes_for_patterns(name: str) -> None:
    found = _root("% pip install " + name, f"zsh: no matches found: {name}")
    assert (found.code, name in found.title) == ("command-not-started", True)
    assert found.fixes[0].commands == (f"python -m pip install '{name}'",)


def test_files_that_zsh_does_not_find_are_no_package() -> None:
    assert judged("zsh: no matches found: *.tfrecord\n").roots == ()


def test_a_python_without_ipykernel() -> None:
    found = _root("stdErr = /opt/e/bin/python3: No module named ipykernel_launcher")
    assert found.fixes[0].commands == ("/opt/e/bin/python3 -m pip install ipykernel",)


def test_a_callback_for_keras_2() -> None:
    found = _root(*_traceback(_frame("/home/me/a.py", "self.model = model", "__init__"), error="AttributeError: property 'model' of 'Sampler' object has no setter"))  # fmt: skip
    assert (found.code, "Sampler" in found.title) == ("keras-legacy-needed", True)


def test_an_optimizer_that_keras_replaced_on_a_mac() -> None:
    fell = "WARNING:absl:There is a known slowdown when using v2.11+ Keras optimizers on M1/M2 Macs. Falling back to the legacy Keras optimizer, i.e., `tf.keras.optimizers.legacy.Lion`."
    found = _root(fell, *_traceback(_frame("/Users/me/a.py"), error="AttributeError: 'str' object has no attribute 'minimize'"))  # fmt: skip
    assert (found.code, "Lion" in found.title) == ("keras-mismatch", True)
    assert (
        judged(f"{fell}\nEpoch 1/1\n10/10 [==============================] - 1s 2ms/step - loss: 1.0\n").roots
        == ()
    )


def test_an_index_that_is_not_reached_says_nothing_of_the_python() -> None:
    broken = "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<x>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/tensorflow/"
    nothing = ("ERROR: Could not find a version that satisfies the requirement tensorflow==2.15.0 (from versions: none)", "ERROR: No matching distribution found for tensorflow==2.15.0")  # fmt: skip
    found = _root(broken, *nothing)
    assert (found.code, "could not reach the package index" in found.title) == ("dependency-mismatch", True)
    assert _root(*nothing).code == "python-unsupported"
    listed = "ERROR: Could not find a version that satisfies the requirement tensorflow==1.15 (from versions: 2.16.1, 2.17.0)"
    assert _root(broken, listed).code == "python-unsupported"


def test_a_command_for_the_shell_in_a_prompt_and_in_a_cell() -> None:
    prompt = _root(">>> pip install tensorflow", '  File "<stdin>", line 1', "    pip install tensorflow", "        ^^^^^^^", "SyntaxError: invalid syntax")  # fmt: skip
    assert prompt.fixes[0].commands == ("python -m pip install tensorflow",)
    cell = _root(
        "  Cell In[1], line 1", "    pip3 install keras", "         ^", "SyntaxError: invalid syntax"
    )
    assert cell.title.startswith("A command for the shell (pip3 install keras)")


def test_a_syntax_error_of_ones_own_stays_one() -> None:
    found = _root('  File "/home/me/a.py", line 3', "    print 'install tensorflow first'", "          ^", "SyntaxError: invalid syntax")  # fmt: skip
    assert "command for the shell" not in found.title


@pytest.mark.parametrize(("number", "words"), [(5, "Access is denied"), (32, "The process cannot access the file because it is being used by another process")])  # fmt: skip
def test_a_file_that_pip_can_not_replace(number: int, words: str) -> None:
    found = _root(rf"ERROR: Could not install packages due to an OSError: [WinError {number}] {words}: 'c:\\py\\lib\\site-packages\\grpc\\cygrpc.pyd'")  # fmt: skip
    assert (found.code, "pip could not replace a file" in found.title) == ("file-locked", True)


@pytest.mark.parametrize(
    ("path", "words"), [(r"logs/2024-05-01 10:00:00\train", "colon"), (r"./logs/fit\train", "mixes / and")]
)
def test_paths_that_windows_does_not_take(path: str, words: str) -> None:
    found = _root(f"tensorflow.python.framework.errors_impl.NotFoundError: Failed to create a directory: {path}; No such file or directory")  # fmt: skip
    assert words in found.title and "os.path.join" in found.fixes[0].note


def test_metal_and_directml_are_named() -> None:
    metal = _root("/AppleInternal/Sources/MetalPerformanceShaders/MPSCore/MPSNDArray.mm:78: failed assertion `[MPSNDArray x] Error'", "zsh: abort      python train.py")  # fmt: skip
    plugin = _root("F tensorflow/c/logging.cc:43] Check failed: it != allocations_by_id_.end()")  # fmt: skip
    lost = _root("F tensorflow/c/logging.cc:43] HRESULT failed with 0x887a0005: dml_device_->GetDeviceRemovedReason()")  # fmt: skip
    assert (metal.code, "Metal" in metal.title) == ("native-crash", True)
    assert (plugin.code, "plug-in" in plugin.title) == ("check-failed", True)
    assert (lost.code, "Windows" in lost.title) == ("cuda-context-poisoned", True)
    assert "2.21" not in "".join(plugin.fixes[0].commands)


def test_a_package_of_the_system_for_another_python() -> None:
    found = _root(" python3-numpy : Depends: python3 (< 3.12) but 3.13.5-1 is to be installed")
    assert (found.code, "python3-numpy is made for Python < 3.12" in found.title) == (
        "python-unsupported",
        True,
    )


def test_a_new_process_that_starts_new_ones() -> None:
    found = _root("RuntimeError: ", "        An attempt has been made to start a new process before the", "        current process has finished its bootstrapping phase.")  # fmt: skip
    assert "__main__" in found.fixes[0].note


def test_the_library_of_the_message_is_taken_first() -> None:
    found = _root("ImportError: /opt/e/lib/python3.8/site-packages/torch.libs/libgomp-804f19d4.so.1.0.0: cannot allocate memory in static TLS block")  # fmt: skip
    assert found.fixes[0].commands == ("LD_PRELOAD=/opt/e/lib/python3.8/site-packages/torch.libs/libgomp-804f19d4.so.1.0.0 python train.py",)  # fmt: skip


def test_a_release_that_a_message_names_is_installed_where_pip_has_it() -> None:
    own = _root("RuntimeError: this needs the older one: install ImageAI 2.1.6 or earlier")
    other = _root("RuntimeError: This program needs CUDA. Please install cuda 12.3.2")
    assert own.fixes[0].commands == ('python -m pip install "imageai<=2.1.6"',)
    assert not any("pip install" in line for fix in other.fixes for line in fix.commands)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("/opt/e/lib/python3.9/site-packages/keras/saving/hdf5_format.py", "keras-mismatch"),
        ("/home/me/app/settings.py", "python-exception"),
    ],
)
def test_only_a_key_that_keras_reads_is_a_file_of_another_keras(file: str, code: str) -> None:
    assert _root(*_traceback(_frame(file), error="KeyError: 'weighted_metrics'")).code == code


def test_a_name_that_was_never_there_is_told_by_the_module_alone() -> None:
    inner = _root("AttributeError: module 'tensorflow.python.framework.ops' has no attribute '_TensorLike'")
    other = _root("ImportError: cannot import name '_bar' from 'foo._internal' (/home/me/foo/_internal.py)")
    assert ("inner name" in inner.title, "inner name" in other.title) == (True, False)
