// Where parts start for a kernel that takes all data in mirrored order: at the last item of each of the caller's segments and gaps.
// Linked with element.wgsl, part_heads.wgsl and mirror_all.wgsl. Call from any control flow. No work-group memory.
// replaces: with_head

fn with_head(element: Element, index: u32) -> Element {
  return Element(element.value, head_at(mirrored(index) + 1u));
}
