#!/bin/sh
# Makes the box again from nothing: tokenizer, training, GGUF. About two hours on two cores.
#
#     models/make.sh [FOLDER [MINUTES]]
#
# Needs `pip install '.[training,recipe]'` (torch, tokenizers, safetensors, gguf) and a C++ compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-box-training}
minutes=${2:-75}
mkdir -p "$folder"
export PYTHONPATH="$here/../python:$here"
# Two threads that wait asleep: spinning ones stall each other where other programs run too.
export OMP_WAIT_POLICY=PASSIVE
python "$here/recipe/train.py" "$folder" --minutes "$minutes"
python "$here/recipe/evaluate.py" "$folder"
python "$here/recipe/finish.py" "$folder" "$folder/hpd-box.gguf"
