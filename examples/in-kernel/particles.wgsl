// One step of a particle system: moves and ages the particles, and appends the living to a list that
// all work-groups share. The first thread of each work-group adds to its length, once.
struct Particle {
  position: vec2<f32>,
  velocity: vec2<f32>,
  // Steps that are left.
  life: u32,
  id: u32,
}

struct List {
  length: atomic<u32>,
  particles: array<Particle>,
}

@group(0) @binding(0) var<storage, read_write> before: array<Particle>;
@group(0) @binding(1) var<storage, read_write> living: List;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var particle: Particle;
  if (id.x < arrayLength(&before)) {
    particle = before[id.x];
  }
  let lives = particle.life > 1u;
  // Every thread calls it, those past the end too.
  let place = work_group_compact_update(lives, local_index).slot;
  if (lives) {
    particle.position += particle.velocity;
    particle.life -= 1u;
    living.particles[place] = particle;
  }
}
