#!/usr/bin/env bash
# Measures hpd on a GPU, in runs of less than nine minutes.
#
#   benchmarks/gpu.sh RESULTS [STEP...]
#
# Takes one step after another, by default all of them (--list prints their names), and ends before
# nine minutes are over: with 0 if all steps are done, with 75 if the same command must be run again,
# which continues where this one stopped. The output of a step is in RESULTS/STEP.txt. A step that
# fails, or that takes more than a whole run, is in RESULTS/STEP.failed, and is skipped until that
# file is deleted; the builds and the search for a GPU are tried again, as all else needs them. Each
# run writes all results so far into RESULTS/page.md.
#
# After the build, the most important figures come first: whether the values are those of the CPU,
# then for each model hpd with 1 to 256 documents in flight, AR, and llama.cpp's and vLLM's servers.
#
# RESULTS keeps the build of llama.cpp for CUDA, its Python environment and the models, so it should
# be on a disk that outlives the machine. Optional environment variables:
#   PYTHON=python3       creates the environment
#   BUILD=yes            no: use the hpd and llama.cpp that PYTHON has
#   LLAMA="-DGGML_CUDA=on ..."  CMake's options for building llama.cpp
#   PREPARE=COMMAND      a command to run in the folder of llama.cpp's sources before the build
#   SERVER=PROGRAM       llama.cpp's server [built with the rest]
#   MODELS="qwen3:1.7b:F16 ..."  shapes and types for make_model.py, GGUF files, or FILE.gguf:F16,
#                        which has the weights of a file in another type
#   WORKLOADS="titles catalogue long"
#   DOCUMENTS=256 ROUNDS=3 AR_DOCUMENTS=8  the amount of work
#   IN_FLIGHT="1 4 16 32 64 128 256" SLOTS="1 16 64"  documents at once, for hpd and for servers
#   VLLM_MODEL=FOLDER    what vLLM reads [the GGUF file]
#   PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER  without a network: FOLDER has all packages
#   PRICE=2.5            dollars per hour of the machine
#   MINUTES=8.5          the time limit
#
# With cuBLAS from a Python package (PyTorch's nvidia-cublas), in the folder C=.../nvidia/cu13, and
# no stub of the driver's library:
#   CPATH=$C/include LD_LIBRARY_PATH=$C/lib LLAMA="-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=native \
#     -DGGML_CUDA_NO_VMM=on -DCUDA_cublas_LIBRARY=$C/lib/libcublas.so.13" benchmarks/gpu.sh RESULTS
#
# A small trial on the CPU:
#   BUILD=no MODELS=models/hpd-box.gguf WORKLOADS=titles DOCUMENTS=4 ROUNDS=1 AR_DOCUMENTS=1 \
#     IN_FLIGHT="1 2" benchmarks/gpu.sh /tmp/gpu
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
results=$(mkdir -p "${1:?is missing: the folder for results}" && cd "$1" && pwd) || exit 2
shift
cd "$root" || exit 1
base=${PYTHON:-python3}
python=$base
[ "${BUILD:-yes}" = yes ] && python=$results/venv/bin/python
models=${MODELS:-"qwen3:1.7b:F16 qwen3:1.7b:Q4_K qwen3:0.6b:Q8_0 qwen3:8b:Q4_K"}
documents=${DOCUMENTS:-256}
rounds=${ROUNDS:-3}
few=${AR_DOCUMENTS:-8}
limit=$(awk "BEGIN { print int(60 * ${MINUTES:-8.5}) }")
read -ra workloads <<< "${WORKLOADS:-titles catalogue long}"
read -ra in_flight <<< "${IN_FLIGHT:-1 4 16 32 64 128 256}"
read -ra slots <<< "${SLOTS:-1 16 64}"
server=${SERVER:-$results/build-llama/bin/llama-server}
export PYTHONPATH=$root:$root/models${PYTHONPATH:+:$PYTHONPATH}

# --- the steps -----------------------------------------------------------------------------------

build_llama() { # continues after it was killed
  local pin
  pin=$(grep -om 1 'llama-cpp-python==[0-9.]*' pyproject.toml)
  pin=${pin#*==}
  [ -x "$results/venv/bin/python" ] || "$base" -m venv "$results/venv" || return
  "$python" -m pip install -q scikit-build-core cmake ninja pybind11 flit-core || return
  cd "$results" || return
  [ -d "llama_cpp_python-$pin" ] || {
    "$python" -m pip download -q --no-deps --no-binary llama-cpp-python \
      --no-build-isolation "llama-cpp-python==$pin" && tar -xf "llama_cpp_python-$pin.tar.gz"
  } || return
  (cd "llama_cpp_python-$pin/vendor/llama.cpp" && eval "${PREPARE:-}") || return
  # Where CUDA is, unless it is on the path.
  PATH="$PATH:/usr/local/cuda/bin"
  CMAKE_ARGS="${LLAMA:--DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=native} -DCMAKE_CXX_FLAGS=-fno-dse" \
    PATH="$results/venv/bin:$PATH" "$python" -m pip install --no-build-isolation \
    -C build-dir="$results/build-llama" "./llama_cpp_python-$pin"
}

build_server() { # from what is built already
  local options=(-DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=ON -DLLAMA_BUILD_SERVER=ON)
  options+=(-DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF)
  PATH="$results/venv/bin:$PATH" cmake "$results/build-llama" "${options[@]}" &&
    PATH="$results/venv/bin:$PATH" cmake --build "$results/build-llama" --parallel \
      --target llama-server
}

build_hpd() {
  HPD_BUILD_TESTS=ON PATH="$results/venv/bin:$PATH" "$python" -m pip install --no-build-isolation \
    -C build-dir="$results/build-hpd" "$root" &&
    "$python" -m pip install -q pytest hypothesis gguf pydantic numpy openai
}

device() { # without a GPU there is nothing to measure, unless hpd was not built for one
  "$python" -m hpd.cli --version
  "$python" -m hpd.cli doctor || true # fails if something is broken, and says what
  [ "${BUILD:-yes}" = no ] || "$python" -m benchmarks.gpu device
}

suite() { # FILE: one of the tests of the engine
  "$python" -m pytest -q -p no:cacheprovider --basetemp="$results/pytest-$1" \
    "tests/engine/$1.py"
}

workload_files() {
  local tokens attributes name
  while read -r name tokens attributes; do
    "$python" "$here/workloads.py" --tokens "$tokens" --attributes "$attributes" \
      --documents $((documents + 2)) "$results/$name" || return
  done <<< $'titles 20 11\ncatalogue 300 16\nlong 1000 16'
}

make_model() { # SHAPE:TYPE, FILE or FILE:TYPE
  local from=(--shape "${1%:*}")
  [ -f "${1%:*}" ] && from=(--weights "${1%:*}")
  [ -f "$(file_of "$1")" ] ||
    "$python" "$here/make_model.py" "${from[@]}" --type "${1##*:}" "$(file_of "$1")"
}

parity() { # STEP FILE
  "$python" -m benchmarks.gpu parity "$2" "$results/${workloads[0]}" -o "$results/$1.jsonl" \
    --documents "$((documents < 32 ? documents : 32))"
}

servers() { # STEP MODEL WORKLOAD
  local program=()
  [ -x "$server" ] && program=(--server "$server")
  "$python" -m benchmarks.gpu server "$(file_of "$2")" "$results/$3" -o "$results/$1.jsonl" \
    "${program[@]}" --slots "${slots[@]}" --documents "$((documents < 64 ? documents : 64))"
}

bench() { # STEP MODEL WORKLOAD DOCUMENTS ROUNDS arguments...
  local step=$1 model=$2 workload=$results/$3 n=$4 n_rounds=$5
  shift 5
  rm -f "$results/$step.jsonl" # of a run that was interrupted
  "$python" -m hpd.cli bench "$workload.jsonl" --schema "$workload.schema.json" \
    --replay "$workload.jsonl" -m "$(file_of "$model")" --limit "$n" --rounds "$n_rounds" \
    -o "$results/$step.jsonl" --price-per-hour "${PRICE:-2.5}" "$@"
}

# --- their names, in order -----------------------------------------------------------------------

file_of() { # SHAPE:TYPE, FILE or FILE:TYPE: the model's file
  if [ -f "$1" ]; then echo "$1"; else echo "$results/$(name_of "$1").gguf"; fi
}

name_of() {
  local name
  name=$(basename "${1//:/-}")
  echo "${name//.gguf/}"
}

steps() { # print a line for each: its name, and its command
  if [ "${BUILD:-yes}" = yes ]; then
    echo "build-llama build_llama"
    echo "build-hpd build_hpd"
  fi
  echo "device device"
  echo "workloads workload_files"
  echo "parity-bundled parity parity-bundled models/hpd-box.gguf"
  local model workload name test has_server=no
  for workload in "${workloads[@]}"; do
    for model in $models; do
      name=$(name_of "$model")
      if [ "$workload" = "${workloads[0]}" ]; then
        echo "model-$name make_model $model"
        # Random weights leave near ties everywhere.
        [ -f "${model%:*}" ] && [ "$model" != models/hpd-box.gguf ] &&
          echo "parity-$name parity parity-$name $(file_of "$model")"
      fi
      timed -in-flight "$documents" 1 --method prefill "$(methods hpd:in_flight= "${in_flight[@]}")"
      timed -ar "$few" 1 "$(methods '' ar hpd:in_flight=1 hpd:in_flight=1,drafts=off)"
      timed -batched "$documents" 1 "$(methods '' 'ar-batched:in_flight=32|64|128' hpd)"
      if [ "${BUILD:-yes}" = yes ] && [ -z "${SERVER:-}" ] && [ $has_server = no ]; then
        echo "build-server build_server"
        has_server=yes
      fi
      if [ "${BUILD:-yes}" = yes ] || [ -n "${SERVER:-}" ] || command -v vllm > /dev/null; then
        echo "servers-$name-$workload servers servers-$name-$workload $model $workload"
      fi
    done
  done
  for test in choices adapters pitfalls drafting draft_model engine; do
    echo "suite-$test suite test_$test"
  done
  for model in $models; do
    name=$(name_of "$model")
    for workload in "${workloads[@]}"; do
      timed '' "$documents" "$rounds" "$(methods '' prefill hpd hpd:drafts=on hpd:drafts=off)"
      timed -stacks "$documents" 1 --method prefill "$(methods hpd:stack= 1 2 4 8 16)"
      timed -batches "$documents" 1 --method hpd \
        "$(methods hpd:n_batch= 256,n_ubatch=256 1024,n_ubatch=1024 2048,n_ubatch=2048)"
    done
  done
  model=${models%% *}
  workload=${workloads[1]:-${workloads[0]}}
  echo "figure-4 bench figure-4 $model $workload $documents 1 --sweep figure-4 --method prefill"
}

timed() { # SUFFIX DOCUMENTS ROUNDS arguments...: the line of a step for the model and the workload
  echo "$name-$workload$1 bench $name-$workload$1 $model $workload ${*:2}"
}

methods() { # BEGINNING END...
  local ends=("${@:2}")
  printf -- '--method %s ' "${ends[@]/#/$1}"
}

# --- one after another ---------------------------------------------------------------------------

if [ "${1:-}" = --list ]; then
  steps | cut -d' ' -f1
  exit 0
fi
if [ "${1:-}" = --run ]; then # one step, in its own process, so that timeout can end it
  shift
  "$@"
  exit
fi
known=$(steps | cut -d' ' -f1)
for step in "$@"; do
  [[ $'\n'$known$'\n' == *$'\n'"$step"$'\n'* ]] || {
    echo "gpu.sh: there is no step $step (--list)"
    exit 2
  }
done
write_page() { # if there are results
  compgen -G "$results/*.jsonl" > /dev/null || return
  "$python" -m benchmarks.gpu page "$results" > "$results/page.part" &&
    mv "$results/page.part" "$results/page.md"
}
trap write_page EXIT
while read -r step command; do
  if [ $# -gt 0 ] && [[ " $* " != *" $step "* ]]; then continue; fi
  # Without these there is nothing to measure, so they are tried again.
  case $step in build-llama | build-hpd | device) needed=yes ;; *) needed=no ;; esac
  [ $needed = yes ] && rm -f "$results/$step.failed"
  if [ -e "$results/$step.txt" ] || [ -e "$results/$step.failed" ]; then continue; fi
  left=$((limit - SECONDS))
  if [ "$left" -lt 10 ]; then
    echo "gpu.sh: time is over before $step: run the same command again"
    exit 75
  fi
  had_all_time=$((SECONDS < 30))
  echo "== $step"
  # shellcheck disable=SC2086 # the words of a command
  timeout -k 5 "$left" "$0" "$results" --run $command < /dev/null > "$results/$step.part" 2>&1
  status=$?
  if [ "$status" = 0 ]; then
    mv "$results/$step.part" "$results/$step.txt"
  elif [ "$status" = 124 ] && { [ "$had_all_time" = 0 ] || [[ $step == build-* ]]; }; then
    echo "gpu.sh: time is over during $step: run the same command again"
    exit 75
  else
    mv "$results/$step.part" "$results/$step.failed"
    echo "gpu.sh: $step failed with $status, the first error and the end of $results/$step.failed:"
    for part in "grep -m 1 -A 4 -E Error|error:" "tail -n 5"; do
      $part "$results/$step.failed" | sed 's/^/  /'
    done
    [ $needed = yes ] && exit 1
  fi
done < <(steps)
if compgen -G "$results/*.failed" > /dev/null; then
  echo "gpu.sh: failed: $(cd "$results" && ls -- *.failed)"
  exit 1
fi
echo "gpu.sh: all is done: $results"
