// Barriers: after a barrier, each thread must see what the other threads of its work-group stored before it, in work-group memory
// and in a buffer.
// Results: how many loads of each kind of memory got another value.
// Linked with run_litmus.wgsl. Call in uniform control flow. Work-group memory: WORK_GROUP_SIZE words.

const ROUNDS = 4u;

var<workgroup> barrier_words: array<u32, WORK_GROUP_SIZE>;

fn test_instance(instance: u32, thread: u32) {
  var wrong = vec2<u32>(0u);
  for (var round = 0u; round < ROUNDS; round++) {
    let before = iteration.number * ROUNDS + round;
    barrier_words[thread] = before * INSTANCES + instance;
    plain_places[instance] = before * INSTANCES + instance;
    workgroupBarrier();
    storageBarrier();
    let other = (thread + WORK_GROUP_SIZE / 2u + round * 7u) % WORK_GROUP_SIZE;
    let wanted = before * INSTANCES + instance - thread + other;
    wrong += select(
      vec2<u32>(0u),
      vec2<u32>(1u),
      vec2<u32>(barrier_words[other], plain_places[instance - thread + other]) != vec2<u32>(wanted),
    );
    workgroupBarrier();
    storageBarrier();
  }
  keep(instance, 0u, wrong.x);
  keep(instance, 1u, wrong.y);
}
