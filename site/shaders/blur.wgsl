// A blur by a summed-area table. `blur` takes the mean of the box around each pixel from four places of the table, whatever
// the radius. `paint` draws the pixels on the canvas.

struct Box {
  width: u32,
  height: u32,
  radius: u32,
}

// The operator's struct: sums of red, green and blue.
struct Sums {
  red: u32,
  green: u32,
  blue: u32,
}

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> table: array<Sums>;
@group(0) @binding(2) var<storage, read_write> blurred: array<u32>;
@group(0) @binding(3) var<storage, read> pixels: array<u32>;

// The sums of all pixels in the first `row` rows and the first `column` columns.
fn sums_before(row: u32, column: u32) -> vec3<u32> {
  if (row == 0u || column == 0u) {
    return vec3(0u);
  }
  let sums = table[(row - 1u) * box.width + column - 1u];
  return vec3(sums.red, sums.green, sums.blue);
}

@compute @workgroup_size(16, 16)
fn blur(@builtin(global_invocation_id) place: vec3<u32>) {
  if (place.x >= box.width || place.y >= box.height) {
    return;
  }
  // The part of the box that lies in the picture.
  let left = place.x - min(place.x, box.radius);
  let top = place.y - min(place.y, box.radius);
  let right = min(place.x + box.radius + 1u, box.width);
  let bottom = min(place.y + box.radius + 1u, box.height);
  let area = (right - left) * (bottom - top);
  // Sums may wrap around: the difference is right all the same.
  let sums = sums_before(bottom, right) - sums_before(top, right) - sums_before(bottom, left) + sums_before(top, left);
  let mean = (sums + area / 2u) / area;
  blurred[place.y * box.width + place.x] = mean.r | (mean.g << 8u) | (mean.b << 16u) | 0xff000000u;
}

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
  // One triangle covers all of the canvas.
  return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn paint(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
  return unpack4x8unorm(pixels[u32(place.y) * box.width + u32(place.x)]);
}
