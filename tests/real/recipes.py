"""The stories: a few lines of data each, first those thought of without reading the rules of the doctor, then those of its kinds."""

from __future__ import annotations

from tests.real.stories import COMPUTES, TRAINS, Story, cpu

WRITES_A_SUMMARY = "import tensorflow as tf\nwith tf.summary.create_file_writer('logs').as_default(): tf.summary.scalar('a', 1.0, step=1)"
STORIES = (
    Story("numpy-2-under-2.15", cpu("2.15.1"), ("pip install --no-deps numpy==2.0.2",), COMPUTES),
    Story("protobuf-4-under-2.10", (*cpu("2.10.1"), "numpy<2"), ("pip install --no-deps protobuf==4.25.3",), COMPUTES, python="3.10"),
    Story("keras-3-under-2.14", cpu("2.14.1"), ("pip install --no-deps keras==3.3.3 namex optree rich markdown-it-py mdurl pygments",), TRAINS),
    Story("pydantic-after-2.13", cpu("2.13.1"), ("pip install --no-deps pydantic==2.8.2 pydantic-core==2.20.1 annotated-types",), "import tensorflow, pydantic; pydantic.create_model('A', b=(int, 1))()", python="3.10"),
    Story("second-tensorflow-removed", cpu("2.20.0"), ("pip install --no-deps tf-nightly-cpu==2.21.0.dev20250914 || pip install --no-deps tensorflow==2.20.0", "pip uninstall tf-nightly-cpu tensorflow"), COMPUTES),
    Story("keras-nightly-removed", cpu("2.20.0"), ("pip install --no-deps keras-nightly", "pip uninstall keras-nightly"), TRAINS, python="3.12"),
    Story("addons-under-2.16", cpu("2.16.2"), ("pip install --no-deps tensorflow-addons==0.23.0 typeguard==2.13.3",), "import tensorflow_addons"),
    Story("probability-newer-than-2.15", cpu("2.15.1"), ("pip install --no-deps tensorflow-probability==0.25.0 dm-tree cloudpickle decorator",), "import tensorflow_probability as tfp; tfp.distributions.Normal(0., 1.).sample()"),
    Story("io-older-than-2.18", cpu("2.18.1"), ("pip install --no-deps tensorflow-io==0.34.0 tensorflow-io-gcs-filesystem==0.34.0",), "import tensorflow_io as tfio; tfio.audio.resample([[1.0]] * 9, 3, 1)"),
    Story("transformers-under-2.17", (*cpu("2.17.1"), "transformers==4.44.2"), (), "from transformers import TFBertModel, BertConfig; TFBertModel(BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8))", python="3.12"),
    Story("numba-too-old-for-numpy", (*cpu("2.20.0"), "numpy==2.3.1"), ("pip install --no-deps numba==0.60.0 llvmlite==0.43.0",), "import tensorflow, numba", python="3.12"),
    Story("scipy-for-numpy-1", cpu("2.18.1"), ("pip install --no-deps scipy==1.11.4",), "import tensorflow, scipy.signal"),
    Story("opencv-for-numpy-1", cpu("2.18.1"), ("pip install --no-deps opencv-python-headless==4.8.0.76",), "import tensorflow, cv2"),
    Story("protobuf-removed", cpu("2.18.1"), ("pip uninstall protobuf",), COMPUTES),
    Story("pip-killed", cpu("2.17.1"), ('mv "$SITE/tensorflow" "$SITE/~ensorflow"; mv "$SITE/tensorflow_cpu-2.17.1.dist-info" "$SITE/~ensorflow_cpu-2.17.1.dist-info"; mkdir "$SITE/tensorflow"; cp -r "$SITE/~ensorflow/core" "$SITE/tensorflow/"',), COMPUTES),
    Story("framework-library-deleted", cpu("2.16.2"), ('rm "$SITE/tensorflow/libtensorflow_framework.so.2"',), COMPUTES),
    Story("old-numpy-on-pythonpath", cpu("2.20.0"), ("pip install --target old numpy==1.23.5",), COMPUTES, env={"PYTHONPATH": "$PWD/old"}),
    Story("packages-of-python-3.10-on-pythonpath", cpu("2.19.1"), ("uv pip install --quiet --python-version 3.10 --only-binary :all: --target other numpy==2.1.3 h5py grpcio",), COMPUTES, env={"PYTHONPATH": "$PWD/other"}),
    Story("own-tensorflow.py", cpu("2.18.1"), ("echo 'import tensorflow as tf; print(tf.constant(1))' > tensorflow.py",), COMPUTES),
    Story("tensorboard-2.10-under-2.18", cpu("2.18.1"), ("pip install --no-deps tensorboard==2.10.1",), "import tensorflow as tf\nwith tf.summary.create_file_writer('logs').as_default(): tf.summary.scalar('a', 1.0, step=1)"),
    Story("hub-without-pkg-resources", (*cpu("2.17.1"), "tensorflow-hub==0.16.1"), ("pip install --no-deps setuptools==82.0.0",), "import tensorflow_hub", python="3.12"),
    Story("keras-backend-not-there", cpu("2.18.1"), (), "import keras; keras.layers.Dense(1)", env={"KERAS_BACKEND": "jax"}),
    Story("protobuf-3.20-under-2.20", cpu("2.20.0"), ("pip install --no-deps protobuf==3.20.3",), COMPUTES),
    Story("onnx-1.19-over-ml-dtypes-0.4", (*cpu("2.18.1"), "ml-dtypes==0.4.1"), ("pip install --no-deps onnx==1.19.0",), "import tensorflow, onnx"),
    Story("h5py-removed-and-a-model-saved", cpu("2.19.1"), ("pip uninstall h5py",), TRAINS + "; m.save('m.keras')"),
    Story("text-2.18-under-2.16", cpu("2.16.2"), ("pip install --no-deps tensorflow-text==2.18.1",), "import tensorflow_text"),
    Story("text-2.18-under-2.20", cpu("2.20.0"), ("pip install --no-deps tensorflow-text==2.18.1",), "import tensorflow_text"),
    Story("probability-without-tf-keras", (*cpu("2.16.2"), "tensorflow-probability==0.24.0"), (), "import tensorflow_probability as tfp; tfp.layers.DenseFlipout(1)"),
    Story("numpy-2-beside-pandas", (*cpu("2.16.2"), "pandas==2.0.3"), ("pip install --no-deps numpy==2.1.3",), "import tensorflow, pandas"),
    Story("matplotlib-for-numpy-1", (*cpu("2.18.1"), "matplotlib==3.8.4"), ("pip install --no-deps matplotlib==3.7.1",), "import tensorflow, matplotlib.pyplot"),
)  # fmt: skip
UNMEASURED = (
    Story("protobuf-4-that-google-api-core-wants", (*cpu("2.20.0"),), ("pip install google-api-core==2.11.1 protobuf==4.25.8",), COMPUTES),
    Story("numpy-1.24-that-pandas-wants", cpu("2.20.0"), ("pip install pandas==1.5.3 'numpy<1.25'",), COMPUTES),
    Story("text-2.15-under-2.14", cpu("2.14.1"), ("pip install --no-deps tensorflow-text==2.15.0 tensorflow-hub==0.16.1 tf-keras==2.14.1",), "import tensorflow_text"),
    Story("probability-0.23-under-2.16", cpu("2.16.2"), ("pip install --no-deps tensorflow-probability==0.23.0 dm-tree cloudpickle decorator",), "import tensorflow_probability as tfp; tfp.distributions.Normal(0., 1.).sample()"),
    Story("tf-keras-2.16-under-2.19", cpu("2.19.1"), ("pip install --no-deps tf-keras==2.16.0",), TRAINS, env={"TF_USE_LEGACY_KERAS": "1"}),
    Story("legacy-keras-without-tf-keras", cpu("2.18.1"), (), TRAINS, env={"TF_USE_LEGACY_KERAS": "1"}),
    Story("tb-nightly-removed", cpu("2.18.1"), ("pip install --no-deps tb-nightly", "pip uninstall tb-nightly"), WRITES_A_SUMMARY),
    Story("setuptools-82-and-tensorboard", cpu("2.18.1"), ("pip install --no-deps setuptools==82.0.0",), "import tensorboard.default"),
    Story("typing-extensions-4.0", cpu("2.20.0"), ("pip install --no-deps typing-extensions==4.0.1",), COMPUTES),
    Story("wrapt-1.10", cpu("2.19.1"), ("pip install --no-deps --no-build-isolation wrapt==1.10.11 || pip install --no-deps wrapt==1.10.11",), COMPUTES),
    Story("ml-dtypes-0.3-under-2.20", cpu("2.20.0"), ("pip install --no-deps ml-dtypes==0.3.2",), COMPUTES),
    Story("2.17-without-its-requirements", (), ("pip install --no-deps tensorflow-cpu==2.17.1",), COMPUTES),
    Story("numpy-half-removed", cpu("2.19.1"), ('rm -r "$SITE/numpy/_core"',), COMPUTES),
    Story("h5py-half-removed", cpu("2.18.1"), ('rm -r "$SITE/h5py/_hl"',), TRAINS + "; m.save('m.h5')"),
    Story("absl-and-flatbuffers-removed", cpu("2.17.1"), ("pip uninstall absl-py flatbuffers",), COMPUTES),
    Story("keras.json-of-theano", cpu("2.18.1"), ("mkdir home; echo '{\"backend\": \"theano\"}' > home/keras.json",), TRAINS, env={"KERAS_HOME": "$PWD/home"}),
    Story("gast-0.2-under-2.17", cpu("2.17.1"), ("pip install --no-deps gast==0.2.2",), "import tensorflow as tf\nf = tf.autograph.to_graph(lambda x: x + 1)\nf(tf.constant(1))"),
    Story("keras-2-on-pythonpath", cpu("2.18.1"), ("pip install --no-deps --target old keras==2.12.0",), TRAINS, env={"PYTHONPATH": "$PWD/old"}),
    Story("own-keras.py", cpu("2.18.1"), ("echo 'model = 1' > keras.py",), TRAINS),
    Story("keras-2.12-under-2.20", cpu("2.20.0"), ("pip install --no-deps keras==2.12.0",), TRAINS),
    Story("two-minors-one-over-the-other", cpu("2.16.2"), ('rm -r "$SITE"/tensorflow_cpu-2.16.2.dist-info; pip install --no-deps tensorflow-cpu==2.15.1; rm -r "$SITE/tensorflow/python/framework"',), COMPUTES),
    Story("decision-forests-1.9-under-2.18", cpu("2.18.1"), ("pip install --no-deps tensorflow-decision-forests==1.9.2 ydf; pip install pandas tf-keras==2.18.0 --no-deps; pip install pytz python-dateutil tzdata wurlitzer",), "import tensorflow_decision_forests"),
)  # fmt: skip
"""Thought of, and not built yet: `make repairs` tries them."""
