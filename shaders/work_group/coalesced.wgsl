// The threads of a work-group whose is_active is true, like the threads of CUDA's coalesced_group. The other threads call
// the functions, too: they give the identity, and get it as their prefix.
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
