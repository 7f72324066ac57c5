// CUDA's example of exclusive_scan_update: threads ask for one word and for two, in turn. Each tile
// of 32 takes what its threads need from a buffer that the work-group's tiles share, in one atomic
// operation, and each thread numbers the words that it got.
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@group(0) @binding(1) var<storage, read_write> result_used: u32;

var<workgroup> buffer: array<u32, 96>;
var<workgroup> buffer_used: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let needed = local_index % 2u + 1u;
  let offset = thread_tile_32_scan_exclusive_add_u32_update(needed, local_index);
  for (var i = 0u; i < needed; i++) {
    buffer[offset + i] = i;
  }
  workgroupBarrier();
  // The buffer is 0 0 1 0 0 1 …, and buffer_used what was allocated.
  for (var i = local_index; i < 96u; i += 64u) {
    result[i] = buffer[i];
  }
  if (local_index == 0u) {
    result_used = atomicLoad(&buffer_used);
  }
}
