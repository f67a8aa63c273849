import type { Stretch } from '../model/scales.ts';

/** What moves a chart, whatever the hand does it with. */
export interface ChartMoves {
  /** So many times as wide, around a share of the width. */
  readonly zoom: (factor: number, share: number) => void;
  /** By a share of the width. */
  readonly pan: (share: number) => void;
  /** The run before or after. */
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

/** A page that cannot be scrolled past a chart is worse than one more key: the wheel alone scrolls. */
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

function shareAt(area: HTMLElement, clientX: number): number {
  const { left, width } = area.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
}

/** One finger moves the cursor by the browser's own mouse events; two zoom. */
function listenToFingers(area: HTMLElement, { zoom, pan }: ChartMoves): void {
  let before: Stretch | undefined;
  area.addEventListener('touchstart', ({ touches }) => {
    before = fingersOf(touches);
  });
  area.addEventListener(
    'touchmove',
    (event) => {
      const now = fingersOf(event.touches);
      if (before === undefined || now === undefined) {
        return;
      }
      event.preventDefault();
      const [was, is] = [before[1] - before[0], now[1] - now[0]];
      if (was > 10 && is > 10) {
        const middle = (now[0] + now[1]) / 2;
        zoom(was / is, shareAt(area, middle));
        pan(((before[0] + before[1]) / 2 - middle) / area.clientWidth);
      }
      before = now;
    },
    { passive: false },
  );
  area.addEventListener('touchend', ({ touches }) => {
    before = fingersOf(touches);
  });
}

function fingersOf(touches: TouchList): Stretch | undefined {
  const [first, second] = [touches[0], touches[1]];
  return first === undefined || second === undefined
    ? undefined
    : [Math.min(first.clientX, second.clientX), Math.max(first.clientX, second.clientX)];
}
