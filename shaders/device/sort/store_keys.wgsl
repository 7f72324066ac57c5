// The keys are stored.

fn store_key(place: u32, item: Output) {
  write_item(place, item);
}
