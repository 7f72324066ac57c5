// Any item will do: all have the score 1, so that no tile is taken once one is found. If the items that are searched for are those for which
// the caller's condition does not hold (MEANT is false), the answer is whether there is none.

fn tile_at(turn: u32, tiles: u32) -> u32 {
  return turn;
}

fn score_of(index: u32) -> u32 {
  return 1u;
}

fn greatest_score(tile: u32, length: u32) -> u32 {
  return 1u;
}

fn answer_of(score: u32) -> u32 {
  return u32((score > 0u) == MEANT);
}
