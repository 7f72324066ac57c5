// What a selection knows of the last element that it takes. Elements are taken in the order of their keys, and those with equal
// keys in the order of their indices. At first, nothing is known. Each digit, from the highest of the keys to the lowest of the
// indices, narrows down where the last element is.
// Linked with contract.wgsl and select/keys.wgsl. Call from any control flow. No work-group memory.

struct Selection {
  // How many elements are to be taken of those that are left: whose key has the bits of `key` where `key_mask` is set, and whose
  // index has the bits of `index` where `index_mask` is set.
  remaining: u32,
  // Whether nothing is left to find out.
  done: u32,
  index: u32,
  index_mask: u32,
  key: Key,
  key_mask: Key,
}

// begin_selection.wgsl and choose_digit.wgsl bind the same to write it.
@group(0) @binding(4) var<storage, read> selection: Selection;

// Whether the last element that is taken may be this one.
fn is_left(key: Key, index: u32) -> bool {
  return all((key & selection.key_mask) == selection.key) && (index & selection.index_mask) == selection.index;
}

// Whether an element is taken. Only once the selection is done.
fn is_taken(key: Key, index: u32) -> bool {
  let known = key & selection.key_mask;
  if (all(known == selection.key)) {
    return (index & selection.index_mask) <= selection.index;
  }
  return comes_before(known, selection.key);
}
