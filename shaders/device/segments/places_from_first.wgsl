// The output's binding may have a part of the places. It begins with params.first_place: what is stored before has no place there.
// Linked with totals.wgsl. No work-group memory.
// replaces: place_of_segment

fn place_of_segment(last: u32, number: u32, length: u32) -> u32 {
  return number - params.first_place;
}
