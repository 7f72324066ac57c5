// The bins hold sums of u32, or of i32, which are the same bits.

@group(0) @binding(16) var<storage, read_write> bins: array<atomic<u32>>;

fn add_to_bin(bin: u32, amount: Amount) {
  atomicAdd(&bins[call.output_base + bin], amount);
}
