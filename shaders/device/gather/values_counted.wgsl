// A buffer says how many values there are. The range has room for `call.sorted_length`.

@group(0) @binding(5) var<storage, read> count: array<u32>;

fn values_length() -> u32 {
  return min(count[call.count_base], call.sorted_length);
}
