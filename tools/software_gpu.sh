#!/usr/bin/env bash
# Runs the engine's tests on a simulated GPU: Mesa's software device for Vulkan (lavapipe).
#
#   tools/software_gpu.sh FOLDER [STEP...]
#
# This tests everything that differs on a GPU, except speed: offloaded layers, KV cells and logits on
# the device, asynchronous decoding. The steps are those of benchmarks/gpu.sh (--list prints them), by
# default the build, the device, whether a few values are those of the CPU, and the suites. FOLDER
# keeps the build; the same command continues where it stopped. Needs Debian's mesa-vulkan-drivers, libvulkan-dev, glslc and spirv-headers.
# Environment:
#   VULKAN_HEADERS             a folder with newer headers of Vulkan and spirv/ than the system's
#   GGML_VK_VISIBLE_DEVICES=0  the device; llama.cpp uses a software device only if it is named
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
LLAMA="-DGGML_VULKAN=on -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF"
if [ -n "${VULKAN_HEADERS:-}" ]; then
  LLAMA+=" -DVulkan_INCLUDE_DIR=$VULKAN_HEADERS"
  export CPATH="$VULKAN_HEADERS${CPATH:+:$CPATH}"
fi
# llama.cpp uses 512 threads for each row of an RMS norm. This device runs them one after another at
# every barrier, which would take most of a tiny model's time. Fewer threads only change the order in
# which a sum is added up.
PREPARE="sed -i 's/^#define BLOCK_SIZE 512/#define BLOCK_SIZE 32/'"
PREPARE+=" ggml/src/ggml-vulkan/vulkan-shaders/rms_norm.comp"
export LLAMA PREPARE BUILD=yes MINUTES=600 DOCUMENTS=${DOCUMENTS:-4}
export GGML_VK_VISIBLE_DEVICES=${GGML_VK_VISIBLE_DEVICES:-0}
if [ $# = 0 ]; then
  mapfile -t suites < <("$here/../benchmarks/gpu.sh" "$folder" --list | grep '^suite-')
  set -- build-llama build-hpd device workloads parity-bundled "${suites[@]}"
fi
"$here/../benchmarks/gpu.sh" "$folder" "$@"
