// WebGPU's flags by value: Node.js has no globals for them. Each is a constant of its own, which a bundler writes out where it is used.

/** To map, and the usage of a buffer that is mapped so: both are the same number. */
export const MAP_READ = 0x1;
export const MAP_WRITE = 0x2;
export const COPY_SRC = 0x4;
export const COPY_DST = 0x8;
export const UNIFORM = 0x40;
export const STORAGE = 0x80;

/** STORAGE and INDIRECT: kernels may leave the arguments of a dispatch in scratch. */
export const SCRATCH = 0x180;
export const COMPUTE_STAGE = 0x4;

/** What a buffer may be used for. Browsers have it as a global of the same name, and Node.js has not. */
export const GPUBufferUsage = {
  MAP_READ,
  MAP_WRITE,
  COPY_SRC,
  COPY_DST,
  INDEX: 0x10,
  VERTEX: 0x20,
  UNIFORM,
  STORAGE,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
} as const;

/** How a buffer is mapped. As {@link GPUBufferUsage}, for Node.js. */
export const GPUMapMode = { READ: MAP_READ, WRITE: MAP_WRITE } as const;

/** Which shaders see a binding. As {@link GPUBufferUsage}, for Node.js. */
export const GPUShaderStage = { VERTEX: 0x1, FRAGMENT: 0x2, COMPUTE: COMPUTE_STAGE } as const;

/** What a texture may be used for. As {@link GPUBufferUsage}, for Node.js. */
export const GPUTextureUsage = {
  COPY_SRC: 0x1,
  COPY_DST: 0x2,
  TEXTURE_BINDING: 0x4,
  STORAGE_BINDING: 0x8,
  RENDER_ATTACHMENT: 0x10,
  TRANSIENT_ATTACHMENT: 0x20,
} as const;

/** Which channels a pass writes. As {@link GPUBufferUsage}, for Node.js. */
export const GPUColorWrite = { RED: 0x1, GREEN: 0x2, BLUE: 0x4, ALPHA: 0x8, ALL: 0xf } as const;
