// The value of an item is its position.

fn read_value(index: u32) -> Value {
  return index + call.first_index;
}
