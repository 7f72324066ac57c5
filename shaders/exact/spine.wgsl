// Totals of tiles, added up by columns: a thread adds up one word of some totals, in two words. So nothing goes from column to column until
// all is added up.
// Linked with sum.wgsl. Generated code declares SPINE_TILE, the totals of a work-group; GROUPS, how many threads have the same column;
// STEP, how many totals each of them takes at a time; and word_of_total. Work-group memory: SLOTS elements, and some words more.

// The totals whose prefixes are in memory at the same time.
const SLOTS = GROUPS * STEP;
var<workgroup> spine_words: array<array<u32, EXACT_WORDS>, SLOTS>;
var<workgroup> spine_seen: array<u32, GROUPS>;

// A column's sum, and what the totals have seen, if the column is the last.
struct Column {
  low: u32,
  high: u32,
  seen: u32,
}

fn add_to_column(sum: Column, word: u32, value: u32) -> Column {
  let is_last = word == EXACT_WORDS - 1u;
  let own = select(value, value & ~EXACT_SEEN, is_last);
  let low = sum.low + own;
  return Column(low, sum.high + select(0u, 1u, low < own), sum.seen | select(0u, value & EXACT_SEEN, is_last));
}

fn add_columns(earlier: Column, later: Column) -> Column {
  let low = earlier.low + later.low;
  return Column(low, earlier.high + later.high + select(0u, 1u, low < later.low), earlier.seen | later.seen);
}

// The totals that a group of threads takes, from `first` on and before `end`.
struct Share {
  first: u32,
  end: u32,
}

fn share_of(tile: u32, group: u32, length: u32) -> Share {
  let first = min(tile * SPINE_TILE, length);
  let count = min(SPINE_TILE, length - first);
  let most = most_of_share(tile, length);
  return Share(first + min(group * most, count), first + min((group + 1u) * most, count));
}

// The most totals of a group.
fn most_of_share(tile: u32, length: u32) -> u32 {
  return (min(SPINE_TILE, length - min(tile * SPINE_TILE, length)) + GROUPS - 1u) / GROUPS;
}

fn sum_of_share(share: Share, word: u32) -> Column {
  var sum: Column;
  for (var at = share.first; at < share.end; at += STEP) {
    var values: array<u32, STEP>;
    for (var step = 0u; step < STEP; step++) { // unroll
      values[step] = word_of_total(min(at + step, share.end - 1u), word);
    }
    for (var step = 0u; step < STEP; step++) { // unroll
      if (at + step < share.end) {
        sum = add_to_column(sum, word, values[step]);
      }
    }
  }
  return sum;
}

fn put_column(group: u32, word: u32, sum: Column) {
  spine_words[2u * group][word] = sum.low;
  spine_words[2u * group + 1u][word] = sum.high;
  if (word == EXACT_WORDS - 1u) {
    spine_seen[group] = sum.seen;
  }
}

fn take_column(group: u32, word: u32) -> Column {
  return Column(spine_words[2u * group][word], spine_words[2u * group + 1u][word], select(0u, spine_seen[group], word == EXACT_WORDS - 1u));
}
