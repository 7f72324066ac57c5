// The items of the channels take turns, as the colours of a picture do.

fn channel_of(index: u32) -> u32 {
  return (index + call.first_index) % CHANNELS;
}
