#!/usr/bin/env bash
# Measures how the cost grows with documents in flight, attributes and lengths. benchmarks.tables
# compares methods and other programs; benchmarks.paper has figure 4.
#
#   benchmarks/run.sh MODEL.gguf RESULTS [PART...]
#
# Parts: in-flight attributes lengths linear; by default, all of them.
# Optional environment variables: DOCUMENTS=32 ROUNDS=3 (the amount of work), PYTHON=python3
#
# Use an idle machine: beside other programs, threads that wait for each other cost many times their
# share. OMP_WAIT_POLICY=passive and the column of processor time then give no more than a hint.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
model=$1
results=$2
shift 2
parts=${*:-in-flight attributes lengths linear}
python=${PYTHON:-python3}
documents=${DOCUMENTS:-32}
rounds=${ROUNDS:-3}
mkdir -p "$results"

catalogue() { # name tokens attributes documents
  "$python" "$here/workloads.py" --tokens "$2" --attributes "$3" --documents "$4" "$results/$1"
}

# The file of documents also has the known answers; output is named after the run.
bench() { # run catalogue options...
  local run=$1 source=$results/$2.jsonl schema=$results/$2.schema.json
  shift 2
  echo "== $run"
  "$python" -m hpd.cli bench "$source" --schema "$schema" --replay "$source" -m "$model" \
    --rounds "$rounds" -o "$results/$run.jsonl" "$@" | tee "$results/$run.txt"
}

in_flight() {
  bench in-flight catalogue300 --limit $((4 * documents)) --method prefill --sweep in-flight
}

attributes() {
  local n
  for n in 1 4 16 64 200; do
    catalogue "attributes$n" 1000 "$n" $((documents + 2))
    bench "attributes-$n" "attributes$n" --limit "$documents" --method prefill --method hpd
  done
}

lengths() {
  local n
  for n in 20 100 300 1000 3000 8000; do
    catalogue "length$n" "$n" 16 $((documents + 2))
    bench "length-$n" "length$n" --limit "$documents" --method prefill --method hpd -c 32768
  done
}

linear() { # speed and memory must not depend on the number of documents
  catalogue linear 20 4 10001
  local n
  for n in 100 1000 10000; do
    bench "linear-$n" linear --limit "$n" --rounds 1 --method hpd
  done
}

catalogue catalogue300 300 16 $((4 * documents + 2))
for part in $parts; do
  "${part//-/_}"
done
