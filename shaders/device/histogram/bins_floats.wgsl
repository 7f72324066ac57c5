// The bins hold sums of f32, as bits. WGSL has no atomic addition of floats. So a thread computes the sum, and exchanges it for
// the bits that it read, until no other thread was faster.

@group(0) @binding(16) var<storage, read_write> bins: array<atomic<u32>>;

fn add_to_bin(bin: u32, amount: Amount) {
  var before = atomicLoad(&bins[call.output_base + bin]);
  loop {
    let sum = bitcast<u32>(bitcast<f32>(before) + amount);
    let exchange = atomicCompareExchangeWeak(&bins[call.output_base + bin], before, sum);
    if (exchange.exchanged) {
      break;
    }
    before = exchange.old_value;
  }
}
