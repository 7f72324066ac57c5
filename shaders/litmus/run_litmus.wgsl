// The kernel of every litmus test. A litmus test is a few loads and stores. Their results tell how an adapter orders memory.
// Many instances of the test run at the same time. Each thread takes one role in its own instance, and another role in the
// instance of a partner, which is in another work-group. Half of the work-groups only stress memory (if SPREAD is 2), since
// orders that are seldom show up under stress.
//
// Iterations follow each other in one pass, and nothing is cleared between them. So a value says in which iteration it was stored.
// No loop is without bound.
//
// Linked with constants, and with another file of this folder, which declares test_instance.
// Sources: Kirkham, Sorensen, Tureci, Martonosi, "Foundations of Empirical Memory Consistency Testing", OOPSLA 2020;
// Levine, Guo, Cho, Baker, Levien, Neto, Quinn, Sorensen, "MC Mutants: Evaluating and Improving Testing for Memory Consistency
// Specifications", ASPLOS 2023.

struct Iteration {
  // Counts from 1.
  number: u32,
  // Moves partners, places and stress from iteration to iteration.
  shift: u32,
  // Words from one instance's place to the next: at most MOST_STRIDE.
  stride: u32,
  // Accesses of a thread that stresses memory.
  stress: u32,
  // How often the first thread of a work-group looks whether all work-groups are there.
  patience: u32,
  // Always 0. No compiler knows that, so that it cannot tell that two places are the same.
  zero: u32,
}

@group(0) @binding(0) var<uniform> iteration: Iteration;
@group(0) @binding(1) var<storage, read_write> places: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;
@group(0) @binding(3) var<storage, read_write> plain_places: array<u32>;

const INSTANCES = TESTERS * WORK_GROUP_SIZE;
const BLOCK = 16u;

// The words before the instances' places: where work-groups count themselves, and where they take tickets.
const MEETING = 0u;
const TICKETS = 64u;
// From STRESSED on, stress goes to LINES lines of LINE words. The instances' places start at FIRST_PLACE, behind these lines.

// An instance has two places. The second ones lie in another order than the first ones.
fn first_place(instance: u32) -> u32 {
  return FIRST_PLACE + instance * iteration.stride;
}

fn second_place(instance: u32) -> u32 {
  return FIRST_PLACE + INSTANCES * MOST_STRIDE + (instance * 419u + iteration.shift) % INSTANCES * iteration.stride;
}

// The instance in which a thread takes its second role. Each instance is the partner of one other, of another work-group: the
// next one, which is likely to run at the same time, or in every second iteration any.
fn partner(instance: u32) -> u32 {
  let step = select(1u + iteration.shift % (TESTERS - 1u), 1u, iteration.number % 2u == 1u);
  let work_group = (instance / WORK_GROUP_SIZE + step) % TESTERS;
  return work_group * WORK_GROUP_SIZE + (instance * 5u + iteration.shift) % WORK_GROUP_SIZE;
}

// The number of a place that `sharers` neighbouring work-groups share, in each of them one thread.
fn shared_number(instance: u32, sharers: u32) -> u32 {
  return instance / (WORK_GROUP_SIZE * sharers) * WORK_GROUP_SIZE + instance % WORK_GROUP_SIZE;
}

// A value of this iteration, 1 to 7, as it is stored.
fn word_of(value: u32) -> u32 {
  return iteration.number * 8u + value;
}

// The value of this iteration in what was loaded. It is 0 if nothing was stored in this iteration.
fn value_of(word: u32) -> u32 {
  return select(0u, word - iteration.number * 8u, word > iteration.number * 8u);
}

// Keeps one of an instance's two results. 0 is left for what was not kept.
fn keep(instance: u32, result: u32, value: u32) {
  results[2u * instance + result] = value + 1u;
}

// Loads and stores in a line that other work-groups use, too.
fn stress(work_group: u32, thread: u32) {
  let place = STRESSED + (work_group + iteration.shift) % LINES * LINE + thread % 4u;
  for (var access = 0u; access < iteration.stress; access++) {
    if ((access + iteration.number) % 4u < 2u) {
      atomicStore(&places[place], access);
    } else {
      _ = atomicLoad(&places[place]);
    }
  }
}

// Waits until all work-groups of the test are there, but not for long.
fn meet(thread: u32) {
  if (thread == 0u && iteration.patience > 0u) {
    atomicAdd(&places[MEETING], 1u);
    for (var attempt = 0u; attempt < iteration.patience; attempt++) {
      if (atomicLoad(&places[MEETING]) >= iteration.number * TESTERS) {
        break;
      }
    }
  }
  workgroupBarrier();
}

@compute @workgroup_size(WORK_GROUP_SIZE)
fn run_litmus(
  @builtin(workgroup_id) work_group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  // Blocks of work-groups take turns, so that both kinds run at the same time.
  let block = work_group.x / BLOCK;
  if (block % SPREAD != 0u) {
    stress(work_group.x, thread);
    return;
  }
  meet(thread);
  let number = block / SPREAD * BLOCK + work_group.x % BLOCK;
  test_instance(number * WORK_GROUP_SIZE + thread, thread);
}
