// Stores the identity for a segment without items.
// Linked with mark_heads.wgsl, element.wgsl and an output of single items. No work-group memory.

fn mark_empty(segment: u32) {
  write_item(segment, item_from_empty());
}
