// A tile is its work-group's own: fast where work-groups start in the order of their numbers, and right
// where they do not.

fn tile_of(work_group: vec3<u32>, thread: u32) -> u32 {
  return work_group.y * params.grid_width + work_group.x;
}
