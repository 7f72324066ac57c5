// An item is kept if its flag, a u32, is not zero, and the caller's condition holds for it.

@group(0) @binding(4) var<storage, read> flags: array<u32>;

fn keep(item: Input, index: u32) -> bool {
  return flags[call.flags_base + index] != 0u && keep_value(value_from_item(item), index + call.first_index);
}
