// The threads of a work-group that pass is_active, as CUDA's coalesced_group has them. The others take
// part: they give the identity, and have it as their prefix.
// Threads call these anywhere; no work-group memory.

fn coalesced_element(value: Value, is_active: bool) -> Element {
  if (is_active) {
    return element_from_value(value);
  }
  return identity();
}

fn coalesced_inclusive(prefix: Element, is_active: bool) -> Value {
  if (is_active) {
    return value_from_element(prefix);
  }
  return value_from_exclusive(identity());
}

fn coalesced_exclusive(prefix: Element, is_active: bool) -> Value {
  if (is_active) {
    return value_from_exclusive(prefix);
  }
  return value_from_exclusive(identity());
}
