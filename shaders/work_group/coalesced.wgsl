// The threads of a work-group that pass is_active, as CUDA's coalesced_group has them. The others take
// part, and both give and get the identity.
// Threads call these anywhere; no work-group memory.

fn coalesced_element(value: Value, is_active: bool) -> Element {
  if (is_active) {
    return element_from_value(value);
  }
  return identity();
}

fn coalesced_value(element: Element, is_active: bool) -> Value {
  if (is_active) {
    return value_from_element(element);
  }
  return value_from_element(identity());
}
