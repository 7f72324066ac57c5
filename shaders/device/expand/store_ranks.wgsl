// Stores the item of a run, and its rank: how many items of the same run come before it.
// Linked with expand_runs.wgsl, and a file that declares write_of_run. The range `ranks` is bound as `indices`.

@group(0) @binding(18) var<storage, read_write> indices: array<u32>;

fn write_item(index: u32, run: u32) {
  write_of_run(index, run);
  var start = 0u;
  if (run > 0u) {
    start = run_end(run - 1u);
  }
  indices[call.indices_base + index] = index - start;
}
