// The call says how many items the other range has.

fn other_length() -> u32 {
  return call.sorted_length;
}
