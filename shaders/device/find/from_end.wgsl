// The last item is searched for, from the last tile on. An item's score is its index plus 1.

fn tile_at(turn: u32, tiles: u32) -> u32 {
  return tiles - 1u - turn;
}

fn score_of(index: u32) -> u32 {
  return index + 1u;
}

fn greatest_score(tile: u32, length: u32) -> u32 {
  return min(length, (tile + 1u) * TILE);
}

fn answer_of(score: u32) -> u32 {
  return select(score - 1u + call.first_index, 0xffffffffu, score == 0u);
}
