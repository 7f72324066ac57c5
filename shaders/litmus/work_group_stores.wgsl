// Work-group stores: an atomic store in work-group memory must replace the value that is there. An adapter may add to it instead.
// Results: how many loads got another value than the last store's: of words that each thread stores in, and of one that they share.
// Linked with run_litmus.wgsl. Call in uniform control flow. Work-group memory: WORK_GROUP_SIZE + 1 words.

const ROUNDS = 4u;

var<workgroup> stored_words: array<atomic<u32>, WORK_GROUP_SIZE>;
var<workgroup> shared_word: atomic<u32>;

// The last round stores 0, as kernels do that clear their counters.
fn stored_in(round: u32, instance: u32) -> u32 {
  return (ROUNDS - 1u - round) * (iteration.number + instance);
}

fn test_instance(instance: u32, thread: u32) {
  var wrong = vec2<u32>(0u);
  for (var round = 0u; round < ROUNDS; round++) {
    // Another thread stores in the shared word in each round.
    let storing = (iteration.number + round * 7u) % WORK_GROUP_SIZE;
    atomicStore(&stored_words[thread], stored_in(round, instance));
    if (thread == storing) {
      atomicStore(&shared_word, stored_in(round, instance));
    }
    workgroupBarrier();
    let other = (thread + WORK_GROUP_SIZE / 2u) % WORK_GROUP_SIZE;
    wrong += select(
      vec2<u32>(0u),
      vec2<u32>(1u),
      vec2<u32>(atomicLoad(&stored_words[other]), atomicLoad(&shared_word)) !=
        vec2<u32>(stored_in(round, instance - thread + other), stored_in(round, instance - thread + storing)),
    );
    workgroupBarrier();
  }
  keep(instance, 0u, wrong.x);
  keep(instance, 1u, wrong.y);
}
