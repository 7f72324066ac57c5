import type { Fold } from "../../src/index.ts";

/** Begins to draw on a canvas, on a dark ground. */
export const beginDrawing = (
  encoder: GPUCommandEncoder,
  context: GPUCanvasContext,
  label: string,
): GPURenderPassEncoder =>
  encoder.beginRenderPass({
    label,
    colorAttachments: [
      {
        view: context.getCurrentTexture().createView(),
        clearValue: { r: 0.035, g: 0.045, b: 0.06, a: 1 },
        loadOp: "clear",
        storeOp: "store",
      },
    ],
  });

/** What moves on a canvas. */
export interface Moving {
  frame(options: { readonly seconds: number; readonly births: boolean }): void;
  destroy(): void;
}

/** How it goes. */
interface Going {
  readonly running: boolean;
  /** Frames a second, once they were counted. */
  readonly rate: number | undefined;
  /** What stopped it. */
  readonly problem: unknown;
}

/** What a page says of the rate: the end of a sentence. */
export const rateText = (rate: number | undefined): string =>
  rate === undefined ? "" : `${rate} ${rate === 1 ? "frame" : "frames"} a second`;

/** Steers what moves. */
export interface Player<Shown> {
  toggle(): void;
  /** Lets nothing move for as long as something else needs the GPU. */
  hold(held: boolean): void;
  /** Makes it anew, and lets go of the one before. */
  rebuild(): void;
  /** What moves now, once it is made. It rejects if it cannot be made. */
  ready(): Promise<Shown>;
}

/**
 * Makes what moves when the canvas first comes into sight, and draws a frame whenever the browser is ready for one, while
 * it is in sight. Where less movement is wanted, one frame stands still until the visitor plays it.
 */
export function playOn<Shown extends Moving>(
  fold: Fold,
  canvas: HTMLCanvasElement,
  {
    make,
    births = () => true,
    onChange,
  }: {
    readonly make: () => Promise<Shown>;
    readonly births?: () => boolean;
    readonly onChange: (going: Going) => void;
  },
): Player<Shown> {
  let shown: Shown | undefined;
  let running = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let visible = false;
  let isHeld = false;
  let last = 0;
  let frames = 0;
  let since = 0;
  let rate: number | undefined;
  let problem: unknown;
  let made = 0;
  const waiting: { readonly resolve: (shown: Shown) => void; readonly reject: (cause: unknown) => void }[] =
    [];

  const tell = (): void => onChange({ running, rate, problem });
  const stop = (cause: unknown): void => {
    problem = cause;
    running = false;
    tell();
  };
  const rebuild = async (): Promise<void> => {
    const asked = ++made;
    const old = shown;
    shown = undefined;
    old?.destroy();
    problem = undefined;
    try {
      const fresh = await make();
      // Another may have been asked for meanwhile.
      if (asked !== made) {
        fresh.destroy();
        return;
      }
      shown = fresh;
      for (const { resolve } of waiting.splice(0)) {
        resolve(fresh);
      }
      // One frame is there even where movement is not wanted.
      shown.frame({ seconds: 1 / 60, births: true });
      tell();
    } catch (cause) {
      stop(cause);
      for (const { reject } of waiting.splice(0)) {
        reject(cause);
      }
    }
  };
  // A page behind another one gets no frames, which says nothing of the rate.
  let isBack = false;
  document.addEventListener("visibilitychange", () => {
    isBack = true;
  });
  const frame = (now: number): void => {
    requestAnimationFrame(frame);
    if (shown === undefined || !running || !visible || isHeld || isBack) {
      isBack = false;
      last = now;
      since = now;
      frames = 0;
      return;
    }
    // A long pause is no long step.
    const seconds = Math.min(0.1, (now - last) / 1000);
    last = now;
    try {
      shown.frame({ seconds, births: births() });
    } catch (cause) {
      stop(cause);
    }
    frames++;
    if (now - since > 1000) {
      rate = Math.round((1000 * frames) / (now - since));
      since = now;
      frames = 0;
      tell();
    }
  };
  new ResizeObserver(() => {
    const scale = fold.software ? 1 : Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  }).observe(canvas);
  new IntersectionObserver(([entry]) => {
    visible = entry?.isIntersecting ?? true;
    if (visible && made === 0) {
      void rebuild();
    }
  }).observe(canvas);
  tell();
  requestAnimationFrame(frame);
  return {
    toggle() {
      running = !running;
      // The frames that are counted next say what it is.
      rate = undefined;
      tell();
    },
    hold(held) {
      isHeld = held;
    },
    rebuild() {
      // Before it is in sight, there is nothing to make anew.
      if (made > 0) {
        void rebuild();
      }
    },
    ready() {
      if (made === 0) {
        void rebuild();
      }
      return new Promise((resolve, reject) => {
        if (shown !== undefined) {
          resolve(shown);
        } else if (problem !== undefined) {
          reject(problem);
        } else {
          waiting.push({ resolve, reject });
        }
      });
    },
  };
}
