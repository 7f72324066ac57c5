// Items one by one, in loops: each is read where it is combined and once more where it is stored, so that no thread holds
// an array of them, and none over a barrier. Where items are long, a software adapter's compiler takes a fraction of the
// time, and the results are no later.
// Linked before scan_tiles.wgsl, reduce_tiles.wgsl, load_kept.wgsl and store_kept.wgsl, in place of what they have of these
// names, with portable.wgsl, load_items.wgsl or load_mapped.wgsl, and an input and an output of single items.

// As scan_tiles.wgsl, but for the total.
@compute @workgroup_size(WORK_GROUP_SIZE)
fn scan_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);
  let length = data_length();

  let scan = work_group_scan_exclusive(sum_of_items(tile, thread, length), thread);
  var prefix = combine(load_carry(tile), scan.prefix);
  // What no other thread reads or writes, so that it may be one range.
  let first = vector_of(tile, thread, 0u);
  let end = min(first + ITEMS, length);
  for (var index = first; index < end; index++) {
    let earlier = prefix;
    prefix = combine(prefix, load_element(index));
    write_item(index, item_from_element(select_prefix(earlier, prefix)));
  }
}

// As reduce_tiles.wgsl.
@compute @workgroup_size(WORK_GROUP_SIZE)
fn reduce_tiles(
  @builtin(workgroup_id) work_group: vec3<u32>,
  invocation: Invocation,
) {
  let tile = work_group.y * params.grid_width + work_group.x;
  let thread = work_group_thread(invocation);

  let total = work_group_reduce(sum_of_items(tile, thread, data_length()), thread);
  if (tile < params.tiles && thread == 0u) {
    write_item(tile, item_from_element(total));
  }
}

fn sum_of_items(tile: u32, thread: u32, length: u32) -> Element {
  let first = vector_of(tile, thread, 0u);
  var sum = element_at(first, length);
  for (var item = 1u; item < ITEMS; item++) {
    sum = combine(sum, element_at(first + item, length));
  }
  return sum;
}

// Past the end of the data, the identity.
fn element_at(index: u32, length: u32) -> Element {
  if (index < length) {
    return load_element(index);
  }
  return identity();
}

struct Kept {
  // A bit for each item.
  flags: array<u32, FLAG_WORDS>,
}

fn load_kept(tile: u32, thread: u32, length: u32) -> Kept {
  let first = vector_of(tile, thread, 0u);
  var kept: Kept;
  for (var item = 0u; item < ITEMS; item++) {
    if (first + item < length && keep(read_vector(first + item), first + item)) {
      kept.flags[item / 32u] |= 1u << (item % 32u);
    }
  }
  return kept;
}

// Nothing: the kept items are counted as they are stored.
struct Ranks {
  none: u32,
}

fn ranks_of(kept: Kept) -> Ranks {
  return Ranks();
}

fn store_kept(tile: u32, thread: u32, kept: Kept, ranks: Ranks, before: Element) {
  let first = vector_of(tile, thread, 0u);
  var flags = kept.flags;
  var place = before;
  for (var item = 0u; item < ITEMS; item++) {
    if (((flags[item / 32u] >> (item % 32u)) & 1u) != 0u) {
      write_item(place, kept_item(read_vector(first + item), first + item));
      place++;
    }
  }
}
