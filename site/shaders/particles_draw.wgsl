// A small disc for each living particle, bright while it is young. As many instances as the
// compaction left in the arguments of the draw.

struct Particle {
  x: f32,
  y: f32,
  vx: f32,
  vy: f32,
  life: f32,
  span: f32,
  hue: f32,
  seed: u32,
}

struct View {
  // A disc's radius, in clip space, and how much of the narrower side the height or the width is.
  size: vec2<f32>,
  aspect: vec2<f32>,
  alpha: f32,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> particles: array<Particle>;

struct Corner {
  @builtin(position) position: vec4<f32>,
  @location(0) colour: vec4<f32>,
  // From the disc's middle, in radii.
  @location(1) side: vec2<f32>,
}

fn colour_of_hue(hue: f32) -> vec3<f32> {
  return 0.55 + 0.45 * cos(6.2831853 * (hue + vec3(0.52, 0.38, 0.22)));
}

@vertex
fn corner(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let particle = particles[instance];
  let young = clamp(particle.life / particle.span, 0.0, 1.0);
  let side = vec2(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
  let place = vec2(particle.x, particle.y) * view.aspect + side * view.size;
  let light = mix(colour_of_hue(particle.hue), vec3(1.0, 0.96, 0.9), young * young * young * 0.7);
  return Corner(vec4(place, 0.0, 1.0), vec4(light, view.alpha * min(1.0, 3.0 * young)), side);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4<f32> {
  let alpha = corner.colour.a * (1.0 - smoothstep(0.55, 1.0, length(corner.side)));
  return vec4(corner.colour.rgb * alpha, alpha);
}
