// OpenCL C's example of work_group_scan_inclusive_add and work_group_scan_exclusive_add.
@group(0) @binding(0) var<storage, read_write> items: array<i32>;
@group(0) @binding(1) var<storage, read_write> inclusive: array<i32>;
@group(0) @binding(2) var<storage, read_write> exclusive: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local_index: u32) {
  let x = items[local_index];
  inclusive[local_index] = work_group_scan_inclusive_add_i32(x, local_index);
  exclusive[local_index] = work_group_scan_exclusive_add_i32(x, local_index);
}
