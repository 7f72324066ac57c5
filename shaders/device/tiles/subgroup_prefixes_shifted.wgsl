// The inclusive prefixes of a thread's long items within its subgroup's run. What comes before an item is the inclusive prefix of the
// item before it, which the next lane has, or the first lane of the next row. So the lanes compute what comes before each item, and
// hand it on by one lane. subgroup_prefixes_together.wgsl combines it with the item, and holds all items until then.
// Call in uniform control flow. All subgroups are full. No work-group memory. Linked with subgroup_rows_together.wgsl.
// replaces: prefixes_of_run

const_assert VECTOR == 1u;

fn prefixes_of_run(elements: array<Element, ITEMS>) -> RunScan {
  var own = elements;
  var earlier_rows = identity();
  let next = (subgroup_rank + 1u) % subgroup_count;
  for (var chunk = 0u; chunk < ROW_CHUNKS; chunk++) { // unroll
    var sums: array<Element, ROWS>;
    for (var row = 0u; row < ROWS; row++) { // unroll
      sums[row] = own[chunk * ROWS + row];
    }
    let scan = scan_rows(sums);
    var before = scan.before;
    for (var row = 0u; row < ROWS; row++) { // unroll
      var given = before[row];
      if (subgroup_rank == 0u) {
        given = scan.total;
        if (row + 1u < ROWS) {
          given = before[min(row + 1u, ROWS - 1u)];
        }
      }
      own[chunk * ROWS + row] = combine(earlier_rows, element_shuffle(given, next));
    }
    earlier_rows = combine(earlier_rows, scan.total);
  }
  return RunScan(own, earlier_rows);
}
