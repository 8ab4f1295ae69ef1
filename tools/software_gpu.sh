#!/usr/bin/env bash
# Runs the engine's tests on a GPU that is none: Mesa's software device for Vulkan (lavapipe).
#
#   tools/software_gpu.sh FOLDER [STEP...]
#
# What differs on a GPU but its speed is tried: offloaded layers, KV cells and logits on the device,
# asynchronous decoding. The steps are those of benchmarks/gpu.sh (`--list` there), by default the
# build, the device and the suites; FOLDER keeps the build, and the same command goes on where it
# stopped. It needs (names of Debian) mesa-vulkan-drivers, libvulkan-dev, glslc and spirv-headers.
# Environment:
#   VULKAN_HEADERS  a folder with newer headers than the system's (of Vulkan, and spirv/)
#   GGML_VK_VISIBLE_DEVICES=0  which device; a software device is used only if it is named
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
LLAMA="-DGGML_VULKAN=on -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TOOLS=OFF"
if [ -n "${VULKAN_HEADERS:-}" ]; then
  LLAMA+=" -DVulkan_INCLUDE_DIR=$VULKAN_HEADERS"
  export CPATH="$VULKAN_HEADERS${CPATH:+:$CPATH}"
fi
# Most of the time of a tiny model would go into the 512 threads that llama.cpp puts on each row of
# an RMS norm, as the device takes them one after the other at every barrier. Only the order in which
# a sum is taken changes.
PREPARE="sed -i 's/^#define BLOCK_SIZE 512/#define BLOCK_SIZE 32/'"
PREPARE+=" ggml/src/ggml-vulkan/vulkan-shaders/rms_norm.comp"
export LLAMA PREPARE BUILD=yes MINUTES=600
export GGML_VK_VISIBLE_DEVICES=${GGML_VK_VISIBLE_DEVICES:-0}
if [ $# = 0 ]; then
  mapfile -t suites < <("$here/../benchmarks/gpu.sh" "$folder" --list | grep '^suite-')
  set -- build-llama build-hpd device "${suites[@]}"
fi
"$here/../benchmarks/gpu.sh" "$folder" "$@"
