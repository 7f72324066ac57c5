// The caller's program knows how many items there are.

fn data_length() -> u32 {
  return params.length;
}
