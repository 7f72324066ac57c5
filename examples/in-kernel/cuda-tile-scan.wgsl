// CUDA's example of inclusive_scan: each tile of eight threads sums its threads' ranks.
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let rank = local_index % 8u;
  sums[local_index] = thread_tile_8_scan_inclusive_add_u32(rank, local_index);
}
