// Keys alone are sorted.

fn load_segment_values(indices: array<u32, ITEMS>) {}

fn exchange_segment_values(thread: u32, ranks: array<u32, ITEMS>) {}

fn store_segment_values(indices: array<u32, ITEMS>) {}
