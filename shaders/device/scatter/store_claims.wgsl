// Each element claims its position by its index. Positions may meet: the stores are atomic, so that one of the claims stays there.

@group(0) @binding(2) var<storage, read_write> claims: array<atomic<u32>>;

fn store_at(position: u32, index: u32) {
  atomicStore(&claims[position], index);
}
