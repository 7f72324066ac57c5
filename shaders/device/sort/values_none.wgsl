// Keys alone are sorted.

fn load_values(tile: u32, thread: u32, length: u32) {}

fn move_values(tile: u32, thread: u32, ranks: array<u32, ITEMS>, places: array<u32, ITEMS>, length: u32) {}

fn exchange_values(thread: u32, ranks: array<u32, ITEMS>) {}

fn store_values(thread: u32, length: u32) {}
