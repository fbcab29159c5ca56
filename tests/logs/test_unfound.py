"""Libraries and GPUs that a process did not find: what the log shows of them, and what only looks alike."""

from __future__ import annotations

from tests.logs.judged import judged, log, root

_MISSING = (
    "2022-06-09 15:50:37.711160: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
    "'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory"
)
_FOLDER = "/usr/local/cuda-11.2/targets/x86_64-linux/lib"
_STEP = "100/100 [==============================] - 1s 5ms/step - loss: 0.2"
_LIST = "print(tf.config.list_physical_devices('GPU'))"


def test_a_file_that_the_log_shows_is_led_to() -> None:
    diagnosis = judged(
        log([_MISSING, "$ find / -name 'libcudart.so*'", f"{_FOLDER}/libcudart.so.11.0"])
    )
    assert root(diagnosis) == "cuda-libraries-unreachable"
    assert _FOLDER in diagnosis.roots[0].finding.fixes[0].commands[0]


def test_a_folder_that_the_loader_did_look_into_is_no_other_place() -> None:
    diagnosis = judged(
        log([f"{_MISSING}; LD_LIBRARY_PATH: {_FOLDER}", f"{_FOLDER}/libcudart.so.11.0"])
    )
    assert root(diagnosis) == "cuda-libraries-missing"


def test_a_library_of_another_name_is_not_the_one() -> None:
    assert root(judged(log([_MISSING, f"{_FOLDER}/libcufft.so.10"]))) == "cuda-libraries-missing"


def test_a_title_says_no_more_than_that_this_process_did_not_find_it() -> None:
    title = judged(log([_MISSING])).roots[0].finding.title
    assert title == "TensorFlow did not find libcudart.so.11.0."


def test_other_empty_lists_and_a_list_with_a_gpu_are_no_complaint() -> None:
    assert judged(log(["rows = []", "[]", "False"])).roots == ()
    assert (
        judged(
            log(
                [
                    _LIST,
                    "[PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')]",
                    "[]",
                    "done",
                ]
            )
        ).roots
        == ()
    )


def test_training_that_goes_on_without_a_gpu_is_no_complaint() -> None:
    assert (
        judged(log(["Num GPUs Available:  0", "Epoch 1/2", _STEP, "Epoch 2/2", _STEP])).roots == ()
    )


def test_a_missing_runtime_before_work_that_was_done_is_worth_knowing_alone() -> None:
    diagnosis = judged(log([_MISSING, "Epoch 1/1", _STEP]))
    assert diagnosis.verdict == "noise-only"
    assert [each.finding.code for each in diagnosis.diagnoses] == ["cuda-libraries-missing"]


def test_a_gpu_that_was_wanted_is_missed_after_work_too() -> None:
    wanted = "Cuda compilation tools, release 11.2, V11.2.152"
    assert root(judged(log([wanted, _MISSING, "Epoch 1/1", _STEP]))) == "cuda-libraries-unreachable"
