// Past an end of the data, a value stands for each neighbour. The length is no place, and stands for that.

fn place_before(index: u32, distance: u32, length: u32) -> u32 {
  return select(index - distance, length, index < distance);
}

fn place_after(index: u32, distance: u32, length: u32) -> u32 {
  return select(index + distance, length, distance >= length - index);
}
