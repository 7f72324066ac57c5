// Translucent splats on a knotted tube. In each frame `measure` writes the depth of each splat and its number, a sort
// puts the numbers in order, from the farthest to the nearest, and the draw follows that order.

struct View {
  // Cosine and sine of the turn around the upright axis, and of the tilt.
  turn: vec2<f32>,
  tilt: vec2<f32>,
  // How much of the narrower side the height or the width is.
  aspect: vec2<f32>,
  // A splat's radius.
  radius: f32,
  count: u32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> depths: array<u32>;
@group(0) @binding(2) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(3) var<storage, read> ordered: array<u32>;

const THREADS = 256u;
const TURN = 6.2831853;
const EYE = 6.5;
// A depth is a whole number of 16 bits.
const FINEST = 65535.0;

struct Splat {
  // From the eye: to the right, up, and away.
  place: vec3<f32>,
  normal: vec3<f32>,
  along: f32,
}

// A point of a trefoil knot.
fn knot(t: f32) -> vec3<f32> {
  let wide = 2.0 + 0.9 * cos(3.0 * t);
  return vec3(wide * cos(2.0 * t), 0.9 * sin(3.0 * t), wide * sin(2.0 * t));
}

fn turned(v: vec3<f32>) -> vec3<f32> {
  let around = vec3(v.x * view.turn.x - v.z * view.turn.y, v.y, v.x * view.turn.y + v.z * view.turn.x);
  return vec3(around.x, around.y * view.tilt.x - around.z * view.tilt.y, around.y * view.tilt.y + around.z * view.tilt.x);
}

// Splats are spread evenly by the additive recurrence R2 of Martin Roberts, in whole numbers that wrap.
fn splat_of(number: u32) -> Splat {
  let along = f32(number * 3242174889u) / 4294967296.0;
  let angle = TURN * f32(number * 2447445414u) / 4294967296.0;
  let t = TURN * along;
  let centre = knot(t);
  let tangent = normalize(knot(t + 0.01) - centre);
  let side = normalize(cross(tangent, vec3(0.0, 1.0, 0.0)));
  let normal = cos(angle) * side + sin(angle) * cross(side, tangent);
  return Splat(turned(centre + 0.42 * normal) + vec3(0.0, 0.0, EYE), turned(normal), along);
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
  let away = (splat_of(number).place.z - EYE + 4.0) / 8.0;
  depths[number] = u32(clamp(away, 0.0, 1.0) * FINEST);
  numbers[number] = number;
}

struct Corner {
  @builtin(position) position: vec4<f32>,
  @location(0) colour: vec3<f32>,
  // From the splat's middle, in radii.
  @location(1) side: vec2<f32>,
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let splat = splat_of(ordered[instance]);
  let side = vec2(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
  let place = (splat.place.xy + side * view.radius) * (1.6 / splat.place.z);
  let hue = 0.55 + 0.45 * cos(TURN * (2.0 * splat.along + vec3(0.52, 0.38, 0.22)));
  let light = 0.5 + 0.7 * max(0.0, dot(splat.normal, normalize(vec3(-0.5, 0.7, -0.6))));
  let near = clamp((EYE + 3.5 - splat.place.z) / 7.0, 0.4, 1.0);
  return Corner(vec4(place * view.aspect, 0.0, 1.0), hue * light * near, side);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4<f32> {
  let alpha = 0.75 * (1.0 - smoothstep(0.3, 1.0, length(corner.side)));
  return vec4(corner.colour * alpha, alpha);
}
