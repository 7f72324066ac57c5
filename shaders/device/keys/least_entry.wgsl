// An entry is a key of two words (low, high), and an index. The entry with the lesser key comes first; of equal keys, that with
// the lesser index.
// Threads call this anywhere; no work-group memory.

fn first_entry(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  let is_less = b.y < a.y || (b.y == a.y && (b.x < a.x || (b.x == a.x && b.z < a.z)));
  return select(a, b, is_less);
}
