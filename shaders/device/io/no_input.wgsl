// Flags decide which items are kept, and only their positions are written. So no item is read.

fn read_vector(vector: u32) -> InputVector {
  return InputVector();
}

fn read_end_item(index: u32) -> Input {
  return Input();
}
