"""Teaching a model hyper-parallel decoding: packing, masks, fine-tuning, export."""
