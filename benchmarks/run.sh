#!/usr/bin/env bash
# Measures what docs/performance.md shows, and leaves figures, tables and plots in a folder.
#
#   benchmarks/run.sh MODEL.gguf RESULTS [PART...]
#
# Parts: costs workloads stacks in-flight attributes lengths linear peers; without any, all of them.
# Environment, each may be left out:
#   OA_MINE, AE_110K  folders with dev.jsonl and attributes.json, to measure those as well
#   LLAMA_SERVER      llama.cpp's server, for the peers
#   DOCUMENTS=32 ROUNDS=3 AR_DOCUMENTS=8  how much; AR alone takes longer than all the rest
#   PYTHON=python3
#
# A machine that does anything else at the same time gives no figures worth having: threads that
# wait for each other cost many times their share. OMP_WAIT_POLICY=passive and the column of
# processor time give a hint then, no more.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
results=$2
shift 2
parts=${*:-costs workloads stacks in-flight attributes lengths linear peers}
python=${PYTHON:-python3}
documents=${DOCUMENTS:-32}
rounds=${ROUNDS:-3}
ar=ar:documents=${AR_DOCUMENTS:-8}
mkdir -p "$results"

catalogue() { # name tokens attributes documents
  "$python" "$here/workloads.py" --tokens "$2" --attributes "$3" --documents "$4" "$results/$1"
}

# Documents and answers are one file; output is named after the run.
bench() { # run documents schema options...
  local run=$1 source=$2 schema=$3
  shift 3
  echo "== $run"
  "$python" -m hpd.cli bench "$source" --schema "$schema" --replay "$source" -m "$model" \
    --rounds "$rounds" -o "$results/$run.jsonl" "$@" | tee "$results/$run.txt"
}

on_catalogue() { # run catalogue options...
  local run=$1 name=$2
  shift 2
  bench "$run" "$results/$name.jsonl" "$results/$name.schema.json" "$@"
}

costs() {
  echo "== costs"
  "$python" "$here/costs.py" -m "$model" | tee "$results/costs.txt"
  "$python" "$here/costs.py" -m "$model" --no-cpu-attention | tee "$results/costs-off.txt"
}

workloads() {
  local methods=(--method prefill --method "$ar" --method "$ar,drafts=on" --method ar-batched)
  methods+=(--method hpd --method hpd:drafts=off --method hpd:layout=skeleton)
  # and with llama.cpp's own attention
  methods+=(--method "$ar,cpu_attention=off")
  local method
  for method in prefill ar-batched hpd; do
    methods+=(--method "$method:cpu_attention=off")
  done
  local folder
  for folder in "${OA_MINE:-}" "${AE_110K:-}"; do
    if [ -n "$folder" ]; then
      bench "$(basename "$folder")" "$folder/dev.jsonl" "$folder/attributes.json" \
        --limit "$documents" "${methods[@]}"
    fi
  done
  local tokens
  for tokens in 300 1000; do
    on_catalogue "catalogue-$tokens" "catalogue$tokens" --limit "$documents" "${methods[@]}"
  done
}

stacks() {
  on_catalogue figure-4 catalogue300 --limit "$documents" --sweep figure-4 \
    --method prefill --method ar-batched
  "$python" "$here/plot.py" "$results/figure-4.jsonl" "$results/figure-4.svg"
}

in_flight() {
  on_catalogue in-flight catalogue300 --limit $((4 * documents)) --method prefill --sweep in-flight
}

attributes() {
  local n
  for n in 1 4 16 64 200; do
    catalogue "attributes$n" 1000 "$n" $((documents + 2))
    on_catalogue "attributes-$n" "attributes$n" --limit "$documents" --method prefill --method hpd
  done
}

lengths() {
  local n
  for n in 20 100 300 1000 3000 8000; do
    catalogue "length$n" "$n" 16 $((documents + 2))
    on_catalogue "length-$n" "length$n" --limit "$documents" --method prefill --method hpd \
      -c 32768
  done
}

linear() { # as fast at the end as at the beginning, in the same memory
  catalogue linear 20 4 10001
  local n
  for n in 100 1000 10000; do
    on_catalogue "linear-$n" linear --limit "$n" --rounds 1 --method hpd
  done
}

peers() { # one after another: what they are asked is the same, but not when
  local peer=("$results/catalogue300.jsonl" --schema "$results/catalogue300.schema.json")
  peer+=(--replay "$results/catalogue300.jsonl" -m "$model")
  on_catalogue peers-hpd catalogue300 --limit "$documents" --method prefill --method hpd
  "$python" "$here/peers/llama_cpp_python.py" "${peer[@]}" --rounds "$rounds" \
    --limit "${AR_DOCUMENTS:-8}" -o "$results/peers-python.jsonl"
  local figures=("$results/peers-hpd.jsonl" "$results/peers-python.jsonl")
  if [ -n "${LLAMA_SERVER:-}" ]; then
    "$python" "$here/peers/llama_server.py" "${peer[@]}" --rounds "$rounds" \
      --limit "$documents" --server "$LLAMA_SERVER" -o "$results/peers-server.jsonl"
    figures+=("$results/peers-server.jsonl")
  fi
  if "$python" -c "import torch, transformers" 2> /dev/null; then
    "$python" "$here/peers/encoder.py" "${peer[@]}" --rounds "$rounds" --limit "$documents" \
      -o "$results/peers-encoder.jsonl"
    figures+=("$results/peers-encoder.jsonl")
  fi
  "$python" "$here/peers/table.py" "${figures[@]}" | tee "$results/peers.txt"
}

catalogue catalogue300 300 16 $((4 * documents + 2))
catalogue catalogue1000 1000 16 $((documents + 2))
for part in $parts; do
  "${part//-/_}"
done
