// Items are counted.

fn amount_of(index: u32) -> Amount {
  return 1u;
}
