"""Fine-tuning for hyper-parallel decoding: packing, masks, training, export."""
