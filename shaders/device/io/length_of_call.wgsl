// The caller's program gives the length.

fn data_length() -> u32 {
  return call.length;
}
