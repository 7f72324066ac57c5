// CUDA's example of exclusive_scan: each thread counts the items of its own part that pass a test,
// and the sum over the threads before it says where they go.
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@group(0) @binding(1) var<storage, read_write> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept_count: u32;

const THREADS = 32u;

fn passes(item: u32) -> bool {
  return item % 3u == 0u;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let length = arrayLength(&items);
  let per_thread = (length + THREADS - 1u) / THREADS;
  let start = min(local_index * per_thread, length);
  let end = min(start + per_thread, length);
  var count = 0u;
  for (var i = start; i < end; i++) {
    count += u32(passes(items[i]));
  }
  let scan = work_group_scan_exclusive_add_u32_total(count, local_index);
  var place = scan.prefix;
  for (var i = start; i < end; i++) {
    if (passes(items[i])) {
      kept[place] = items[i];
      place++;
    }
  }
  if (local_index == 0u) {
    kept_count = scan.total;
  }
}
