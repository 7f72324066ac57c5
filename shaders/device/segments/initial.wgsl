// Each segment starts from the initial value, which is in a range of its own.
// Linked with element.wgsl.

@group(0) @binding(12) var<storage, read> initial: array<SegmentStored>;

fn initial_value() -> SegmentValue {
  return value_from_stored(initial[call.initial_base]);
}
