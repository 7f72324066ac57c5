// The first segment that ends behind a tile's first item, found by the tile's work-group: the lanes of a subgroup try places at equal
// distances, then between two of these.
// Linked with reduce_offsets.wgsl. Call in uniform control flow; all threads get it. Work-group memory: a word.

// All lanes of a subgroup take the same branches around votes, but compilers do not know that.
diagnostic(off, subgroup_uniformity);

var<workgroup> first_segment: u32;

fn first_segment_of(tile: u32, length: u32) -> u32 {
  if (subgroup_number == 0u) {
    var low = 0u;
    var high = call.segment_count;
    while (low < high) {
      let step = (high - low - 1u) / subgroup_count + 1u;
      let segment = low + subgroup_rank * step + step - 1u;
      // No lane may skip the load, since all of them vote next.
      let is_before = (segment < high) & (offset_at(min(segment, high - 1u) + 1u, length) <= tile * TILE);
      low = min(low + count_votes(subgroupBallot(is_before)) * step, high);
      high = min(low + step - 1u, high);
    }
    if (subgroup_rank == 0u) {
      first_segment = low;
    }
  }
  return workgroupUniformLoad(&first_segment);
}
