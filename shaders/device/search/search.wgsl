// Searches a table of keys in ascending order. If they are in no order, the result means nothing, and is still at most the
// table's length.
// Linked with contract.wgsl and a table.
// Threads call this anywhere; no work-group memory.

// How many of the first `length` keys of the table come before a key.
fn count_before(key: Key, length: u32) -> u32 {
  var count = 0u;
  for (var step = highest_bit(length); step > 0u; step >>= 1u) {
    if (step <= length - count && comes_before(table_key(count + step - 1u), key)) {
      count += step;
    }
  }
  return count;
}

fn highest_bit(length: u32) -> u32 {
  return select(1u << (firstLeadingBit(length) & 31u), 0u, length == 0u);
}
