// Each work-group takes the tile of its own number. This is fast if work-groups start in the order of their numbers, and
// right in any case.

fn tile_of(work_group: vec3<u32>, thread: u32) -> u32 {
  return work_group.y * call.grid_width + work_group.x;
}
