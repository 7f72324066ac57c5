// The total goes to a range of its own, and so do the arguments of an indirect dispatch. The total counts items, and the
// dispatch has a work-group for each ITEMS_PER_WORK_GROUP of them. If one row of work-groups would be too long, it has
// several.
// Linked with contract.wgsl (Element is u32).

@group(0) @binding(5) var<storage, read_write> count_buffer: array<u32>;
@group(0) @binding(9) var<storage, read_write> indirect: array<u32>;

fn store_total(element: u32) {
  count_buffer[call.count_base] = element;
  let work_groups = element / ITEMS_PER_WORK_GROUP + select(0u, 1u, element % ITEMS_PER_WORK_GROUP != 0u);
  let rows = (work_groups + MOST_WORK_GROUPS - 1u) / MOST_WORK_GROUPS;
  indirect[call.indirect_base] = (work_groups + max(rows, 1u) - 1u) / max(rows, 1u);
  indirect[call.indirect_base + 1u] = max(rows, 1u);
  indirect[call.indirect_base + 2u] = 1u;
}
