// All items are of one channel.

fn channel_of(index: u32) -> u32 {
  return 0u;
}
