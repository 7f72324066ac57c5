// Work-group memory has no room for a counter for each bin. So threads add to the bins.

fn add_to_counter(bin: u32, amount: Amount, thread: u32) {
  add_to_bin(bin, amount);
}

fn add_counters(thread: u32) {
}
