import type { Grip } from '../model/scales.ts';

/** Movements of a chart by mouse, finger or key. */
export interface ChartMoves {
  /** Factor of a zoom step, around a share of the width. */
  readonly zoom: (factor: number, share: number) => void;
  /** Moves by a share of the width. */
  readonly pan: (share: number) => void;
  /** Holds the chart; fingers then move it. */
  readonly hold: () => (grip: Grip) => void;
  /** Selects the run before or after. */
  readonly step: (by: number) => void;
  readonly jump: (to: 'first' | 'last') => void;
  readonly choose: () => void;
  readonly leave: () => void;
}

const KEYS: Readonly<Record<string, (moves: ChartMoves) => void>> = {
  ArrowLeft: ({ step }) => step(-1),
  ArrowRight: ({ step }) => step(1),
  PageUp: ({ step }) => step(-10),
  PageDown: ({ step }) => step(10),
  'Shift+ArrowLeft': ({ pan }) => pan(-0.25),
  'Shift+ArrowRight': ({ pan }) => pan(0.25),
  Home: ({ jump }) => jump('first'),
  End: ({ jump }) => jump('last'),
  '+': ({ zoom }) => zoom(0.5, 0.5),
  'Shift++': ({ zoom }) => zoom(0.5, 0.5),
  '=': ({ zoom }) => zoom(0.5, 0.5),
  '-': ({ zoom }) => zoom(2, 0.5),
  Enter: ({ choose }) => choose(),
  ' ': ({ choose }) => choose(),
  Escape: ({ leave }) => leave(),
};

/** Keys, the wheel, and two fingers on an area. */
export function listenToMoves(area: HTMLElement, moves: ChartMoves): void {
  area.addEventListener('keydown', (event) => {
    const name = `${event.shiftKey ? 'Shift+' : ''}${event.key}`;
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[name];
    if (act !== undefined) {
      event.preventDefault();
      act(moves);
    }
  });
  area.addEventListener('wheel', (event) => turnWheel(event, area, moves), { passive: false });
  listenToFingers(area, moves);
}

/** The wheel alone scrolls, so that the page can be scrolled past a chart; zooming needs a modifier key. */
function turnWheel(event: WheelEvent, area: HTMLElement, { zoom, pan }: ChartMoves): void {
  const { deltaX, deltaY } = event;
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    event.preventDefault();
    zoom((deltaY === 0 ? deltaX : deltaY) > 0 ? 1.25 : 0.8, shareAt(area, event.clientX));
  } else if (Math.abs(deltaX) > Math.abs(deltaY)) {
    event.preventDefault();
    pan(deltaX / area.clientWidth);
  }
}

/** Position as a share of the lines' width, without the axis. */
function shareAt(area: HTMLElement, clientX: number): number {
  const { left, width } = (area.querySelector('.u-over') ?? area).getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
}

/** Fingers on an area: their number, center and distance. */
interface Fingers {
  readonly count: number;
  readonly x: number;
  readonly y: number;
  readonly apart: number;
}

/** Fingers closer than this do not zoom: they are above each other, or there is only one. */
const LEAST_APART = 24;

/** A finger that moved this far sideways, and less far up or down, moves the chart and not the page. */
const SIDEWAYS = 8;

/** One finger moves the chart, two zoom it, both relative to their start, so rounding errors do not add up. */
function listenToFingers(area: HTMLElement, { hold }: ChartMoves): void {
  let held: { readonly was: Fingers; readonly move: (grip: Grip) => void } | undefined;
  const take = ({ touches }: TouchEvent) => {
    const was = fingersOf(touches);
    held = was && { was, move: hold() };
  };
  const move = (event: TouchEvent) => {
    const now = fingersOf(event.touches);
    if (held === undefined || now === undefined || !isMeant(held.was, now)) {
      return;
    }
    if (now.count > 1) {
      // The page's style leaves vertical moves of one finger to the browser.
      event.preventDefault();
    }
    const [was, is] = [shareAt(area, held.was.x), shareAt(area, now.x)];
    held.move({ factor: held.was.apart / now.apart, was, is });
  };
  for (const name of ['touchstart', 'touchend', 'touchcancel'] as const) {
    area.addEventListener(name, take, { passive: true });
  }
  area.addEventListener('touchmove', move, { passive: false });
}

function isMeant(was: Fingers, now: Fingers): boolean {
  const aside = Math.abs(now.x - was.x);
  return now.count > 1 || (aside > SIDEWAYS && aside > Math.abs(now.y - was.y));
}

function fingersOf(touches: TouchList): Fingers | undefined {
  const [first, second = first] = [...touches];
  return (
    first &&
    second && {
      count: touches.length,
      x: (first.clientX + second.clientX) / 2,
      y: (first.clientY + second.clientY) / 2,
      apart: Math.max(LEAST_APART, Math.abs(first.clientX - second.clientX)),
    }
  );
}
