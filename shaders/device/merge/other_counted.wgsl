// A buffer says how many items the other range has. The range has room for `call.sorted_length`.

@group(0) @binding(4) var<storage, read> sorted_count: array<u32>;

fn other_length() -> u32 {
  return min(sorted_count[call.sorted_count_base], call.sorted_length);
}
