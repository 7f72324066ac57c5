// The prefixes of a thread's items within its subgroup's run, from rows that are scanned together.
// Call in uniform control flow. No work-group memory. Linked with subgroup_rows_together.wgsl.
// replaces: prefixes_of_run

fn prefixes_of_run(elements: array<Element, ITEMS>) -> RunScan {
  var own = elements;
  var all_sums = row_sums(elements);
  var earlier_rows = identity();
  for (var chunk = 0u; chunk < ROW_CHUNKS; chunk++) { // unroll
    var sums: array<Element, ROWS>;
    for (var row = 0u; row < ROWS; row++) { // unroll
      sums[row] = all_sums[chunk * ROWS + row];
    }
    let scan = scan_rows(sums);
    var before = scan.before;
    for (var row = 0u; row < ROWS; row++) { // unroll
      var prefix = combine(earlier_rows, before[row]);
      for (var item = 0u; item < VECTOR; item++) { // unroll
        let earlier = prefix;
        prefix = combine(prefix, own[(chunk * ROWS + row) * VECTOR + item]);
        own[(chunk * ROWS + row) * VECTOR + item] = select_prefix(earlier, prefix);
      }
    }
    earlier_rows = combine(earlier_rows, scan.total);
  }
  return RunScan(own, earlier_rows);
}
