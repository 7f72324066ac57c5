import { byId, messageOf } from "./dom.ts";
import { openGpu } from "./gpu.ts";
import { nextCount } from "./use/next_count.ts";
import { playOn, rateText } from "./use/play.ts";
import type { Splats } from "./use/splats.ts";
import { makeSplats } from "./use/splats.ts";

const canvas = byId("canvas", HTMLCanvasElement);
const play = byId("play", HTMLButtonElement);
const shown = byId("shown", HTMLElement);

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
  const [least, first, most] = fold.software ? [2000, 6000, 2 ** 14] : [2 ** 15, 2 ** 17, 2 ** 20];
  let splats = { count: first, isSettled: false };
  const tell = async (scene: Splats, count: number, rate: number): Promise<void> => {
    const inSight = await scene.inSight();
    shown.textContent = `${count.toLocaleString("en")} splats, ${inSight.toLocaleString("en")} of them in sight and sorted, at ${rateText(rate)}`;
  };
  const player = playOn(fold, canvas, {
    make: () => makeSplats(fold, canvas, most, { count: () => splats.count, sorts: () => true }),
    onChange({ running, rate, problem }) {
      play.textContent = running ? "Pause" : "Play";
      // The still picture lies beneath.
      canvas.hidden = problem !== undefined;
      if (problem !== undefined) {
        shown.textContent = messageOf(problem);
      } else if (running && rate !== undefined) {
        const { count } = splats;
        // If the device is lost meanwhile, the notice says so.
        void player
          .ready()
          .then((scene) => tell(scene, count, rate))
          .catch(() => {});
        splats = nextCount(splats, rate, { least, most });
      }
    },
  });
  play.addEventListener("click", player.toggle);
}
document.documentElement.dataset.ready = "";
