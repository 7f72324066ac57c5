// An item's channel is the number that store_bins.wgsl has stored for it.

@group(0) @binding(17) var<storage, read> stored_bins: array<u32>;

fn channel_of(index: u32) -> u32 {
  return stored_bins[index];
}
