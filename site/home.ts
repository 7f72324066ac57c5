import { byId } from "./dom.ts";
import { openGpu } from "./gpu.ts";
import { makeParticles } from "./use/particles.ts";
import { playOn } from "./use/play.ts";

const canvas = byId("canvas", HTMLCanvasElement);
const play = byId("play", HTMLButtonElement);

// npm takes the package from where this page is.
if (/^https?:$/.test(location.protocol)) {
  byId("install", HTMLPreElement).textContent = `npm install ${byId("package", HTMLAnchorElement).href}`;
  byId("save", HTMLElement).hidden = true;
}
// Regions that scroll take the focus, so that keys scroll them.
for (const region of document.querySelectorAll<HTMLElement>("section.listing")) {
  region.tabIndex = 0;
}
const fold = await openGpu("The picture stands still. The guides, the API and the Playground need no GPU.");
if (fold !== undefined) {
  canvas.hidden = false;
  play.hidden = false;
  const player = playOn(fold, canvas, {
    make: () => makeParticles(fold, canvas, fold.software ? 5_000 : 500_000),
    onChange({ running, problem }) {
      play.textContent = running ? "Pause" : "Play";
      // The still picture lies beneath.
      canvas.hidden = problem !== undefined;
    },
  });
  play.addEventListener("click", player.toggle);
}
document.documentElement.dataset.ready = "";
