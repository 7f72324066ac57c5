// Each item is added to a counter.

fn tally(bin: u32, amount: Amount, thread: u32) {
  add_to_counter(bin, amount, thread);
}

fn end_tally(thread: u32) {
}
