#!/bin/sh
# Makes the box again from nothing: tokenizer, training, scores, GGUF, calibration.
#
#     models/make.sh [FOLDER [MINUTES [DEVICE [SIZE]]]]
#
# The training goes on where it stopped, in parts of nine minutes; a file STOP in FOLDER ends it.
# Needs `pip install '.[training,recipe]'` (torch, tokenizers, safetensors, gguf) and a C++ compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-box-training}
minutes=${2:-75}
device=${3:-cpu}
size=${4:-medium}
mkdir -p "$folder"
export PYTHONPATH="$here/../python:$here"
# Two threads that wait asleep: spinning ones stall each other where other programs run too.
export OMP_WAIT_POLICY=PASSIVE
until python "$here/recipe/train.py" "$folder" --minutes "$minutes" --part 9 --resume \
    --device "$device" --size "$size"; do
    [ $? -eq 3 ] && [ ! -e "$folder/STOP" ] || exit 1
done
python "$here/recipe/evaluate.py" "$folder"
python "$here/recipe/finish.py" "$folder" "$folder/hpd-box.gguf"
python "$here/recipe/calibrate.py" "$folder/hpd-box.gguf"
