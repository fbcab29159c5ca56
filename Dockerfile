# TensorFlow with its CUDA libraries, and tfdoctor beside it in an environment of its own.
#
#   docker build --tag tensorflow-doctor .
#   docker run --rm --gpus all tensorflow-doctor tfdoctor check --require-gpu
#   docker run --gpus all -e TFDOCTOR_REQUIRE_GPU=1 tensorflow-doctor python train.py    # your program, with a health check
#
# BASE, TENSORFLOW and VARIANT can be given by --build-arg; docs/docker.md says how; `make lock` makes the locks.

ARG BASE=python:3.12-slim-bookworm

FROM ${BASE} AS build
ARG TENSORFLOW=2.21.0
# "-cuda": TensorFlow with [and-cuda]; "": plain TensorFlow, which has the GPU code and none of the libraries
ARG VARIANT=-cuda
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
COPY locks/ /build/locks/
RUN python3 -m venv /opt/tensorflow \
 && /opt/tensorflow/bin/python -m pip install --require-hashes --requirement "/build/locks/tensorflow-${TENSORFLOW}${VARIANT}.txt"
# 2.21.0 looks for libcusolver everywhere but where its wheel puts it (RUNPATH of libtensorflow_framework.so.2)
RUN for nvidia in /opt/tensorflow/lib/python3.*/site-packages/nvidia; do \
      if [ -d "$nvidia/cusolver" ]; then ln -sf ../../cusolver/lib/libcusolver.so.11 "$nvidia/cuda_runtime/lib/"; fi; \
    done
RUN python3 -m venv /opt/tfdoctor \
 && /opt/tfdoctor/bin/python -m pip install --require-hashes --requirement /build/locks/runtime.txt \
 && python3 -m venv /build/tools \
 && /build/tools/bin/python -m pip install --require-hashes --requirement /build/locks/build.txt
COPY . /build/tfdoctor/
WORKDIR /build/tfdoctor
RUN /build/tools/bin/hatchling build --target wheel --directory /build/wheel \
 && /opt/tfdoctor/bin/python -m pip install --no-index --no-deps /build/wheel/*.whl

FROM ${BASE}
LABEL org.opencontainers.image.title="tfdoctor" \
      org.opencontainers.image.description="TensorFlow, and beside it the doctor that says why it won't use the GPU" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/tensorflow/ /opt/tensorflow/
COPY --from=build /opt/tfdoctor/ /opt/tfdoctor/
ENV VIRTUAL_ENV=/opt/tensorflow \
    PATH=/opt/tensorflow/bin:/opt/tfdoctor/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
# A number, so that Kubernetes' runAsNonRoot can see that it is not root. It has no home and needs none.
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=3s --start-period=120s --retries=3 \
  CMD ["/opt/tfdoctor/bin/tfdoctor", "healthcheck", "--timeout", "2.5"]
CMD ["tfdoctor", "check", "--state"]
