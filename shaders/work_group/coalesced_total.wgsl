// The total of the active threads as a value.
// Threads call this anywhere; no work-group memory.

fn coalesced_total(total: Element, is_active: bool, local_index: u32) -> Value {
  return value_from_element(total);
}
