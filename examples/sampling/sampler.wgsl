// wavefold: work_group_scan_inclusive_add_f32, work_group_reduce_max_f32, work_group_reduce_min_u32
struct Sampling {
  temperature: f32,
  top_p: f32,
  min_p: f32,
  random: f32,
}

@group(0) @binding(0) var<storage, read> sampling: Sampling;
// The candidates, from the most likely one on: their logits, and their numbers in the vocabulary.
@group(0) @binding(1) var<storage, read> logits: array<f32>;
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read_write> drawn: u32;

@compute @workgroup_size(256)
fn draw(@builtin(local_invocation_index) at: u32) {
  let candidates = arrayLength(&logits);
  // Relative to the most likely one: its weight is 1, and no exponential overflows.
  let behind = (logits[0] - logits[min(at, candidates - 1u)]) / sampling.temperature;
  let weight = select(0.0, exp(-behind), at < candidates);
  let sum = work_group_scan_inclusive_add_f32(weight, at);
  let total = work_group_reduce_max_f32(sum, at);

  // Top-p keeps those before which the sum has not reached its share, min-p those that are likely enough. Both keep the first ones.
  let is_kept = at == 0u || (sum - weight < sampling.top_p * total && weight > 0.0 && weight >= sampling.min_p);
  let kept = work_group_reduce_min_u32(select(at, 256u, is_kept), at);
  let kept_total = work_group_reduce_max_f32(select(0.0, sum, at < kept), at);

  // The first one whose sum is past the random number's share of the total.
  let chosen = work_group_reduce_min_u32(select(256u, at, sum > sampling.random * kept_total), at);
  if (at == 0u) {
    drawn = tokens[min(chosen, kept - 1u)];
  }
}
