// An element is one word. Positions may meet: the stores are atomic, so that one of the words stays there.

@group(0) @binding(2) var<storage, read_write> output_words: array<atomic<u32>>;

fn store_at(position: u32, index: u32) {
  atomicStore(&output_words[call.output_base + position], read_item(index));
}
