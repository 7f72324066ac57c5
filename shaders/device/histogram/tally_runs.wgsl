// As long as a thread's items fall in one bin, it adds them up. This saves additions to counters if many neighbours are equal.

var<private> run_bin: u32 = 0u;
var<private> run_sum: Amount = Amount();

fn tally(bin: u32, amount: Amount, thread: u32) {
  if (bin == run_bin) {
    run_sum += amount;
  } else {
    end_tally(thread);
    run_bin = bin;
    run_sum = amount;
  }
}

fn end_tally(thread: u32) {
  if (run_sum != Amount()) {
    add_to_counter(run_bin, run_sum, thread);
  }
}
