// The counter of an allocation, which all work-groups share: how much of the capacity is used. It never goes back, and
// stops at the capacity. A work-group that asks for more than is left takes what is left, so that nothing is left for
// others from then on. While work-groups race for the last of the capacity, the counter may be past it until all of them
// have returned, but what they get is never past it. If the counter was past the capacity before, it stays where it is, and
// nothing fits.
// Linked with allocate.wgsl.
// Call in uniform control flow, with local_index = @builtin(local_invocation_index).
// All threads get where the work-group's runs start, and the capacity. Only one thread reads the capacity, so that all
// threads decide by the same one.
// Work-group memory: two words.

var<workgroup> allocation_room: vec2<u32>;

fn allocation_take(total: u32, local_index: u32) -> vec2<u32> {
  if (local_index == 0u) {
    let capacity = allocation_capacity();
    allocation_room = vec2<u32>(allocation_start(total, capacity), capacity);
  }
  return workgroupUniformLoad(&allocation_room);
}

// The run of one thread, within the run of its work-group.
fn allocation_run(amount: u32, prefix: u32, total: u32, local_index: u32) -> WorkGroupAllocation {
  let room = allocation_take(total, local_index);
  let offset = combine(room.x, prefix);
  let fits = amount == 0u || (offset <= room.y && amount <= room.y - offset);
  return WorkGroupAllocation(select(room.y, min(offset, room.y), fits), total, fits);
}

// Where the work-group's runs start. If nothing is left, this is the capacity.
fn allocation_start(total: u32, capacity: u32) -> u32 {
  var seen = atomicLoad(&contract_counter);
  // This is the short way, if the whole total seems to fit. Other work-groups may have filled the counter since it was
  // read, so the addition may take it past the capacity. Fewer than 2^16 work-groups are at this point at once: if each
  // adds at most this much, the counter stays below 2^32.
  let most = (0xffffffffu - capacity) >> 16u;
  if (seen < capacity && total <= min(capacity - seen, most)) {
    let start = atomicAdd(&contract_counter, total);
    // Other work-groups came first, and the total does not fit.
    if (start >= capacity || total > capacity - start) {
      // Additions after this find the capacity or more. (SwiftShader loses additions that are made meanwhile. These found
      // the capacity or more, too.)
      atomicMin(&contract_counter, capacity);
    }
    return min(start, capacity);
  }
  while (seen < capacity) {
    let exchange = atomicCompareExchangeWeak(&contract_counter, seen, seen + min(total, capacity - seen));
    if (exchange.exchanged) {
      return seen;
    }
    seen = exchange.old_value;
  }
  return capacity;
}
