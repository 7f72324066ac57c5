// Stores where each class begins, and where the last one ends. The scanned spine has it: each class has places for all tiles,
// one class after another, and one more place comes last.
// Linked with contract.wgsl (Element is u32) and carry_spine.wgsl.
// Dispatch one work-group. No work-group memory.

@group(0) @binding(5) var<storage, read_write> class_offsets: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn store_offsets(@builtin(local_invocation_index) local_index: u32) {
  let tiles = max(1u, (call.length + TILE - 1u) / TILE);
  for (var class_at = local_index; class_at <= CLASSES; class_at += WORK_GROUP_SIZE) {
    class_offsets[call.count_base + class_at] = load_carry(class_at * tiles);
  }
}
