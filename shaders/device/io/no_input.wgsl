// Flags decide, and positions are written: the items themselves are not looked at.

fn read_vector(vector: u32) -> InputVector {
  return InputVector();
}

fn read_end_item(index: u32) -> Input {
  return Input();
}
