// The bits that say where segments start, as they are written. head_bits.wgsl reads them.
// Linked with mark_heads.wgsl or clear_heads.wgsl. No work-group memory.

@group(0) @binding(14) var<storage, read_write> head_words: array<atomic<u32>>;
