// The counters hold sums of f32, as bits: see bins_floats.wgsl.
// replaces: add_to_counter, counter

fn add_to_counter(bin: u32, amount: Amount, thread: u32) {
  let place = bin * COPIES + thread % COPIES;
  var before = atomicLoad(&counters[place]);
  loop {
    let sum = bitcast<u32>(bitcast<f32>(before) + amount);
    let exchange = atomicCompareExchangeWeak(&counters[place], before, sum);
    if (exchange.exchanged) {
      break;
    }
    before = exchange.old_value;
  }
}

fn counter(bin: u32) -> Amount {
  var sum = Amount();
  for (var copy = 0u; copy < COPIES; copy++) {
    sum += bitcast<f32>(atomicLoad(&counters[bin * COPIES + copy]));
  }
  return sum;
}
