// Each item has a weight.

@group(0) @binding(15) var<storage, read> weights: array<Amount>;

fn amount_of(index: u32) -> Amount {
  return weights[call.weights_base + index];
}
