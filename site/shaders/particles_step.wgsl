// One frame of particles, in three dispatches: new ones are born at the end of the list, the list's
// length grows by them, and all of it moves and grows older. The compaction then takes out the dead.

struct Particle {
  x: f32,
  y: f32,
  vx: f32,
  vy: f32,
  // Seconds that are left, and that there were.
  life: f32,
  span: f32,
  hue: f32,
  seed: u32,
}

struct Frame {
  seconds: f32,
  // Seconds since the start.
  time: f32,
  births: u32,
  capacity: u32,
  // Where they are born.
  source: vec2<f32>,
  seed: u32,
  unused: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> count: u32;

const THREADS = 256u;
const TURN = 6.2831853;

// The work-groups in a row of the grid: few enough for the limits of every device.
fn thread_of(group: vec3<u32>, groups: vec3<u32>, local_index: u32) -> u32 {
  return (group.y * groups.x + group.x) * THREADS + local_index;
}

// PCG: random bits from a counter.
fn random_bits(state: u32) -> u32 {
  let mixed = state * 747796405u + 2891336453u;
  let word = ((mixed >> ((mixed >> 28u) + 4u)) ^ mixed) * 277803737u;
  return (word >> 22u) ^ word;
}

fn random_unit(bits: u32) -> f32 {
  return f32(bits >> 8u) / 16777216.0;
}

@compute @workgroup_size(THREADS)
fn give_birth(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let newborn = thread_of(group, groups, local_index);
  let place = count + newborn;
  if (newborn >= frame.births || place >= frame.capacity) {
    return;
  }
  let a = random_bits(frame.seed ^ (newborn * 2654435769u));
  let b = random_bits(a);
  let c = random_bits(b);
  let d = random_bits(c);
  let angle = random_unit(a) * TURN;
  let speed = 0.08 + 0.75 * random_unit(b) * random_unit(d ^ b);
  let offset = 0.02 * random_unit(d);
  var particle: Particle;
  particle.x = frame.source.x + offset * cos(angle);
  particle.y = frame.source.y + offset * sin(angle);
  particle.vx = speed * cos(angle);
  particle.vy = speed * sin(angle);
  particle.span = 1.5 + 4.5 * random_unit(c);
  particle.life = particle.span;
  particle.hue = fract(frame.time * 0.03 + 0.12 * random_unit(d));
  particle.seed = d;
  particles[place] = particle;
}

@compute @workgroup_size(1)
fn count_births() {
  count = min(count + frame.births, frame.capacity);
}

@compute @workgroup_size(THREADS)
fn move_on(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let place = thread_of(group, groups, local_index);
  if (place >= min(count, frame.capacity)) {
    return;
  }
  var particle = particles[place];
  let position = vec2(particle.x, particle.y);
  var velocity = vec2(particle.vx, particle.vy);
  // Drawn to the middle, turned around it, and stirred by two waves.
  let distance = max(length(position), 0.08);
  let inward = -position / distance;
  let around = vec2(-inward.y, inward.x);
  let stir = vec2(
    sin(5.0 * position.y + 0.7 * frame.time),
    cos(4.0 * position.x - 0.9 * frame.time),
  );
  velocity += frame.seconds * (0.3 * distance * inward + 0.34 * around / (0.5 + distance) + 0.3 * stir);
  velocity *= 1.0 - 0.3 * frame.seconds;
  particle.vx = velocity.x;
  particle.vy = velocity.y;
  particle.x += frame.seconds * velocity.x;
  particle.y += frame.seconds * velocity.y;
  particle.life -= frame.seconds;
  particles[place] = particle;
}
