// Chooses the blocks with the first keys, as many as elements are wanted: of equal keys, the blocks that come first. Behind their
// numbers it stores the two words of the limit, a key behind which no element is wanted.
// Linked with contract.wgsl, select/blocks_chosen.wgsl and what it is linked with, and length_*.wgsl. Dispatch one work-group.

@group(0) @binding(18) var<storage, read_write> taken: array<u32>;

@compute @workgroup_size(WORK_GROUP_SIZE)
fn choose_first_blocks(@builtin(local_invocation_index) thread: u32) {
  let few = list_blocks(call.block_shift, data_length(), MOST_WANTED, thread);
  place_few(few.count, thread);
  for (var at = thread; at < few.count; at += WORK_GROUP_SIZE) {
    let place = atomicLoad(&few_places[at]);
    if (place < call.k) {
      taken[place] = few_numbers[at];
    }
  }
  if (thread == 0u) {
    let words = words_from_key(few.limit);
    taken[call.limit_place] = words.x;
    taken[call.limit_place + 1u] = words.y;
  }
}
