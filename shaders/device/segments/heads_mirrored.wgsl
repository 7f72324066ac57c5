// Where segments start for a kernel that takes all data in mirrored order: at the last item of each of the caller's segments. That is the
// item before the first one of the next segment, or the last item of all.
// Linked with element.wgsl, mirror_all.wgsl and a file that declares head_at. Call from any control flow. No work-group memory.
// replaces: with_head

// The first item of all starts a segment in any case. So item 0 asks for it.
fn with_head(element: Element, index: u32) -> Element {
  return Element(element.value, head_at(select(0u, mirrored(index) + 1u, index > 0u)));
}
