// A shader file, as text: the build inlines it.
declare module "*.wgsl" {
  const text: string;
  export default text;
}

// The file as it is, not linked: Vite's.
declare module "*.wgsl?raw" {
  const text: string;
  export default text;
}

// The address of the file: Vite's.
declare module "*.wgsl?url" {
  const url: string;
  export default url;
}
