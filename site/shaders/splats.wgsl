// Translucent splats: a knotted tube above a sea. In each frame `measure` writes the depth of each splat, or 0 if the eye does not
// see it, and its number. A compaction keeps those in sight, a sort puts them in order, from the farthest to the nearest, and the
// draw follows that order.

struct View {
  // Cosine and sine of the turn around the upright axis, and of the tilt.
  turn: vec2<f32>,
  tilt: vec2<f32>,
  // How much of the narrower side the height or the width is.
  aspect: vec2<f32>,
  // Of a splat of the tube.
  radius: f32,
  time: f32,
  count: u32,
}

struct Splat {
  depth: u32,
  number: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> splats: array<Splat>;
@group(0) @binding(2) var<storage, read> ordered: array<Splat>;

const THREADS = 256u;
const TURN = 6.2831853;
const EYE = 5.2;
const NEAREST = 0.7;
const FARTHEST = 17.0;
// A depth is a whole number of 16 bits, from 1 on.
const FINEST = 65534.0;

struct Place {
  // From the eye: to the right, up, and away.
  place: vec3<f32>,
  radius: f32,
  colour: vec3<f32>,
}

// A point of a trefoil knot.
fn knot(t: f32) -> vec3<f32> {
  let wide = 1.5 + 0.68 * cos(3.0 * t);
  return vec3(wide * cos(2.0 * t), 0.68 * sin(3.0 * t), wide * sin(2.0 * t));
}

fn turned(v: vec3<f32>) -> vec3<f32> {
  let around = vec3(v.x * view.turn.x - v.z * view.turn.y, v.y, v.x * view.turn.y + v.z * view.turn.x);
  return vec3(around.x, around.y * view.tilt.x - around.z * view.tilt.y, around.y * view.tilt.y + around.z * view.tilt.x);
}

fn seen_from_eye(v: vec3<f32>) -> vec3<f32> {
  return turned(v) + vec3(0.0, 0.1, EYE);
}

const LIGHT = vec3(-0.48, 0.67, -0.57);

fn on_tube(along: f32, around: f32) -> Place {
  let angle = TURN * around;
  let t = TURN * along;
  let centre = knot(t);
  let tangent = normalize(knot(t + 0.01) - centre);
  let side = normalize(cross(tangent, vec3(0.0, 1.0, 0.0)));
  let normal = cos(angle) * side + sin(angle) * cross(side, tangent);
  let place = seen_from_eye(centre + 0.32 * normal + vec3(0.0, 0.55 + 0.08 * sin(0.9 * view.time), 0.0));
  let hue = 0.55 + 0.45 * cos(TURN * (2.0 * along + vec3(0.52, 0.38, 0.22)));
  let light = 0.45 + 0.75 * max(0.0, dot(turned(normal), LIGHT));
  return Place(place, view.radius, hue * light * clamp((EYE + 3.0 - place.z) / 5.5, 0.4, 1.0));
}

// A wave moves what floats in circles: along its direction, and up.
fn wave(at: vec2<f32>, direction: vec2<f32>, length: f32, height: f32, speed: f32) -> vec4<f32> {
  let phase = TURN * dot(at, direction) / length - speed * view.time;
  let slope = TURN / length * height * sin(phase);
  return vec4(-direction * height * sin(phase), height * cos(phase), slope);
}

fn on_sea(across: f32, along: f32) -> Place {
  let at = (vec2(across, along) * 2.0 - 1.0) * 10.0;
  let a = wave(at, vec2(0.8, 0.6), 4.3, 0.22, 1.3);
  let b = wave(at, vec2(-0.28, 0.96), 2.6, 0.11, 1.7);
  let c = wave(at, vec2(0.96, -0.28), 1.3, 0.045, 2.6);
  let moved = at + a.xy + b.xy + c.xy;
  let height = a.z + b.z + c.z;
  let normal = normalize(vec3(a.w * 0.8 - b.w * 0.28 + c.w * 0.96, 1.0, a.w * 0.6 + b.w * 0.96 - c.w * 0.28));
  let place = seen_from_eye(vec3(moved.x, height - 1.75, moved.y));
  let shine = pow(max(0.0, dot(turned(normal), LIGHT)), 8.0);
  let crest = smoothstep(-0.3, 0.38, height);
  let colour = mix(vec3(0.01, 0.10, 0.22), vec3(0.10, 0.52, 0.66), crest) + shine * vec3(0.32, 0.38, 0.36);
  // The sea fades into the ground behind it.
  let near = 1.0 - smoothstep(6.0, FARTHEST - 1.5, place.z);
  return Place(place, view.radius * 2.8, mix(vec3(0.035, 0.045, 0.06), colour, near));
}

// Splats are spread evenly by the additive recurrence R2 of Martin Roberts, in whole numbers that wrap.
fn place_of(number: u32) -> Place {
  let first = f32(number * 3242174889u) / 4294967296.0;
  let second = f32(number * 2447445414u) / 4294967296.0;
  if (number % 3u == 0u) {
    return on_tube(first, second);
  }
  return on_sea(first, second);
}

// From -1 to 1 in sight.
fn on_screen(place: vec3<f32>) -> vec2<f32> {
  return place.xy * (1.6 / place.z) * view.aspect;
}

@compute @workgroup_size(THREADS)
fn measure(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local_index: u32,
) {
  let number = (group.y * groups.x + group.x) * THREADS + local_index;
  if (number >= view.count) {
    return;
  }
  let splat = place_of(number);
  let away = (splat.place.z - NEAREST) / (FARTHEST - NEAREST);
  let edge = vec2(1.0) + splat.radius * (1.6 / splat.place.z) * view.aspect;
  let is_seen = away > 0.0 && away < 1.0 && all(abs(on_screen(splat.place)) < edge);
  splats[number] = Splat(select(0u, 1u + u32(away * FINEST), is_seen), number);
}

struct Corner {
  @builtin(position) position: vec4<f32>,
  @location(0) colour: vec3<f32>,
  // From the splat's middle, in radii.
  @location(1) side: vec2<f32>,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let splat = place_of(ordered[instance].number);
  let side = vec2(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
  let place = splat.place + vec3(side * splat.radius, 0.0);
  return Corner(vec4(on_screen(place), 0.0, 1.0), splat.colour, side);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4<f32> {
  let alpha = 0.75 * (1.0 - smoothstep(0.3, 1.0, length(corner.side)));
  return vec4(corner.colour * alpha, alpha);
}
