// The first item is searched for. An item's score is 2^32 - 1 minus its index, which is never 0: a length is less than 2^32.

fn tile_at(turn: u32, tiles: u32) -> u32 {
  return turn;
}

fn score_of(index: u32) -> u32 {
  return ~index;
}

fn greatest_score(tile: u32, length: u32) -> u32 {
  return score_of(tile * TILE);
}

fn answer_of(score: u32) -> u32 {
  return select(~score + call.first_index, 0xffffffffu, score == 0u);
}
