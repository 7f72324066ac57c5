// What is common to look-backs by votes: groups, and what their lanes find. A vote counts only if all lanes of the
// subgroup are in it, wherever the compiler lets them meet.
// Linked with look_back_votes.wgsl or look_back_one.wgsl, subgroup.wgsl and subgroup_ballot.wgsl, where all subgroups are
// full, of at least four lanes. Call in uniform control flow.
// Work-group memory: 2 * MOST_GROUPS elements.

// What is called for one subgroup is in uniform control flow of that subgroup: compilers do not know that.
diagnostic(off, subgroup_uniformity);

// Tiles in a group: a lane for each, and one for the carry. Few groups are few round trips to memory.
const FAN_OUT = min(30u, MIN_SUBGROUP_SIZE - 2u);

// Groups that are looked through: of the farthest the carry is waited for.
const MOST_GROUPS = 64u;

// By distance, the combined totals of each group's tiles but the last, and the last one's.
var<workgroup> look_back_sums: array<Element, MOST_GROUPS>;
var<workgroup> look_back_lasts: array<Element, MOST_GROUPS>;

// Whether a condition holds in all lanes of the subgroup.
fn all_lanes(condition: bool) -> bool {
  return count_votes(subgroupBallot(condition)) == subgroup_count;
}

// Each lane keeps the total of its member, which thread 0 knows.
fn with_total(kept: Element, total: Element, member: u32) -> Element {
  let element = element_shuffle(total, 0u);
  if (subgroup_rank == member) {
    return element;
  }
  return kept;
}

// The combination of what the lanes keep.
fn sum_of_totals(kept: Element) -> Element {
  return subgroup_reduce(kept, subgroup_rank, subgroup_count);
}
