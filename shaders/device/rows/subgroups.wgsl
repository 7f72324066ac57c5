// Whole rows by subgroups. Each subgroup has a run of vectors, which its lanes take in order, as in subgroup.wgsl. An element knows how
// far it is from the start of its row. So lanes combine what they have without a mark for the start, and without a row's number.
// Linked with contract.wgsl, tiles.wgsl of rows, subgroup.wgsl, whose work-group memory it uses, and a file that declares scans_rows():
// whether each item has a prefix. All subgroups are full. Generated with it: SHORT_STAGES and LONG_STAGES, the steps between lanes that
// all rows take, and those that only rows of at least 2^SHORT_STAGES vectors take.
// Call in uniform control flow.

// The place of an item in its row, for an item of a tile's vectors. The items before the tile's first one are the end of a row.
fn place_in_row(item: u32, own: RowTile) -> u32 {
  let width = call.row_length;
  return (item + width - own.first % VECTOR % width) % width;
}

// How many vectors a vector is behind the one in which the row of its first item starts.
fn vectors_to_start(place: u32) -> u32 {
  return (place + VECTOR - 1u) / VECTOR;
}

// What each vector has of the row of its last item, with all vectors before it in the run; and what the run has at its end.
struct RowRun {
  tails: array<Element, VECTORS>,
  // What comes before each vector in the run. A reduction of rows that start at vectors does not use it: only the first lane has it.
  before: array<Element, VECTORS>,
  tail: Element,
}

fn scan_row_vectors(elements: array<Element, ITEMS>, own: RowTile, thread: u32) -> RowRun {
  var items = elements;
  var run: RowRun;
  let width = call.row_length;
  let is_simple = rows_have_vectors();
  let step = subgroup_count * VECTOR % width;
  // No vector in which no row starts or ends is farther behind the start of its row.
  let farthest = vectors_to_start(width - min(width, VECTOR));
  var place = place_in_row(vector_of(0u, thread, 0u) * VECTOR, own);
  run.tail = identity();
  for (var vector = 0u; vector < VECTORS; vector++) { // unroll
    var tail = items[vector * VECTOR];
    if (is_simple) {
      // No row starts within the vector.
      for (var item = 1u; item < VECTOR; item++) { // unroll
        tail = combine(tail, items[vector * VECTOR + item]);
      }
    } else {
      var at = place;
      for (var item = 1u; item < VECTOR; item++) { // unroll
        at = select(at + 1u, 0u, at + 1u == width);
        if (at == 0u) {
          tail = items[vector * VECTOR + item];
        } else {
          tail = combine(tail, items[vector * VECTOR + item]);
        }
      }
    }
    // A row that starts within the vector needs none of the vectors before.
    let distance = select(vectors_to_start(place), 0u, place + VECTOR > width);
    for (var stage = 0u; stage < SHORT_STAGES; stage++) { // unroll
      let step_back = 1u << stage;
      let other = element_shuffle_up(tail, step_back);
      if (subgroup_rank >= step_back && distance >= step_back) {
        tail = combine(other, tail);
      }
    }
    if (farthest >= 1u << SHORT_STAGES) {
      for (var stage = 0u; stage < LONG_STAGES; stage++) { // unroll
        let step_back = 1u << (SHORT_STAGES + stage);
        let other = element_shuffle_up(tail, step_back);
        if (subgroup_rank >= step_back && distance >= step_back) {
          tail = combine(other, tail);
        }
      }
    }
    if (distance > subgroup_rank) {
      tail = combine(run.tail, tail);
    }
    run.before[vector] = run.tail;
    if (!is_simple || scans_rows()) {
      let other = element_shuffle_up(tail, 1u);
      if (subgroup_rank > 0u) {
        run.before[vector] = other;
      }
    }
    run.tails[vector] = tail;
    run.tail = element_shuffle(tail, subgroup_count - 1u);
    place += step;
    place = select(place, place - width, place >= width);
  }
  return run;
}

// What comes before a subgroup's run, of the row of its first item.
fn before_row_run(tail: Element, own: RowTile, thread: u32) -> Element {
  if (subgroup_rank == 0u) {
    subgroup_totals[subgroup_number] = tail;
  }
  workgroupBarrier();
  let item = (thread - subgroup_rank) * VECTORS * VECTOR;
  let start = (item - min(item, place_in_row(item, own))) / (VECTORS * VECTOR * subgroup_count);
  var before = identity();
  for (var slot = start; slot < subgroup_number; slot++) {
    before = combine(before, subgroup_totals[slot]);
  }
  return before;
}
