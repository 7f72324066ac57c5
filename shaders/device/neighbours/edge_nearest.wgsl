// Past an end of the data, the element at this end stands for each neighbour.

fn place_before(index: u32, distance: u32, length: u32) -> u32 {
  return index - min(index, distance);
}

fn place_after(index: u32, distance: u32, length: u32) -> u32 {
  return index + min(distance, length - 1u - index);
}
