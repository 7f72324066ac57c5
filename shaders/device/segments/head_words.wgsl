// The bits that say where segments start, as they are written. head_bits.wgsl reads them.

@group(0) @binding(14) var<storage, read_write> head_words: array<atomic<u32>>;
