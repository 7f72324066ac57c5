// A flag for each item, one u32 each: kept where it is not zero.

@group(0) @binding(4) var<storage, read> flags: array<u32>;

fn read_flag(index: u32) -> u32 {
  return flags[params.flags_base + index];
}
