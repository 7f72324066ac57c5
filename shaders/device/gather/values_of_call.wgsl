// The call says how many values there are.

fn values_length() -> u32 {
  return call.sorted_length;
}
