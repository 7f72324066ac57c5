// A scan stores nothing for a segment without items.
// Linked with mark_heads.wgsl.

fn mark_empty(segment: u32) {
}
