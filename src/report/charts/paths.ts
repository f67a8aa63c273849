import { type Html, html } from '../render/markup.ts';

/** Steps per unit of a chart (about a pixel) vertically, where figures are compared; horizontally one per unit is enough. */
const STEPS = 2;

/** Position in whole steps, so that distances between positions add up. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Path of `M` and `L` commands in a shorter form: without redundant points, and with relative lines. All other commands stay unchanged. */
export function shortPath(path: string): Html {
  const commands = path.match(/[A-Za-z][^A-Za-z]*/g) ?? [];
  const written: string[] = [];
  let points: Place[] = [];
  const writeLine = (): void => {
    written.push(...lineCommands(straightened(points)));
    points = [];
  };
  for (const whole of commands) {
    const [, command, x, y] = /^([ML])(-?[\d.]+)[ ,](-?[\d.]+)$/.exec(whole) ?? [];
    if (command !== 'L') {
      writeLine();
    }
    if (command === undefined) {
      written.push(whole);
    } else {
      points.push({ x: Math.round(Number(x)) * STEPS, y: Math.round(Number(y) * STEPS) });
    }
  }
  writeLine();
  return joined(written);
}

function lineCommands(points: readonly Place[]): readonly string[] {
  return points.map((to, index) => {
    const from = points[index - 1];
    return from === undefined ? `M${pair(to)}` : index === 1 ? `l${way(from, to)}` : parted(way(from, to));
  });
}

/** Distance in steps within which a point near the line between its neighbors is invisible. */
const NEAR = 1;

/** Corners of a line: without points on the straight way between two others. */
function straightened(points: readonly Place[]): readonly Place[] {
  const corners: Place[] = [];
  let from = 0;
  for (const [index, point] of points.entries()) {
    const [start, next] = [points[from], points[index + 1]];
    const between = points.slice(from + 1, index + 1);
    const isPassed = index > 0 && next !== undefined && start !== undefined && between.every(isNearTo(start, next));
    if (!isPassed) {
      corners.push(point);
      from = index;
    }
  }
  return corners;
}

function isNearTo(start: Place, end: Place): (point: Place) => boolean {
  return ({ x, y }) => {
    const share = (x - start.x) / (end.x - start.x);
    return x > start.x && x < end.x && Math.abs(start.y + share * (end.y - start.y) - y) <= NEAR;
  };
}

/** Grid for dots, finer than the width of a dot. */
const GRID = 2;

/** Dots at positions: those that touch are one line with round ends, which looks the same. */
export function dotsPath(places: readonly (readonly [x: number, y: number])[]): Html {
  const rows = new Map<number, Set<number>>();
  for (const [x, y] of places) {
    const row = rows.get(onGrid(y)) ?? new Set();
    rows.set(onGrid(y), row.add(onGrid(x)));
  }
  const lines = [...rows].flatMap(([y, row]) => touching([...row]).map((line) => ({ ...line, y })));
  return joined(
    lines.map(({ from, to, y }, index) => {
      const last = lines[index - 1];
      const start = { x: from * STEPS, y: y * STEPS };
      const move = last === undefined ? `M${pair(start)}` : `m${way({ x: last.to * STEPS, y: last.y * STEPS }, start)}`;
      // A closed line of length 0 is a dot.
      return `${move}${to === from ? 'z' : `h${to - from}`}`;
    }),
  );
}

function onGrid(position: number): number {
  return Math.round(position / GRID) * GRID;
}

interface Line {
  readonly from: number;
  readonly to: number;
}

function touching(row: readonly number[]): readonly Line[] {
  const lines: Line[] = [];
  for (const x of row.toSorted((left, right) => left - right)) {
    const last = lines.at(-1);
    if (last !== undefined && x - last.to <= GRID) {
      lines[lines.length - 1] = { from: last.from, to: x };
    } else {
      lines.push({ from: x, to: x });
    }
  }
  return lines;
}

/** Separate markup for each, since one long text would be truncated. */
function joined(commands: readonly string[]): Html {
  return html`${commands.map((command) => html`${command}`)}`;
}

function way(from: Place, to: Place): string {
  return pair({ x: to.x - from.x, y: to.y - from.y });
}

function pair({ x, y }: Place): string {
  return `${short(x)}${parted(short(y))}`;
}

/** Number after another one: separated by its sign, or a space. */
function parted(numbers: string): string {
  return numbers.startsWith('-') ? numbers : ` ${numbers}`;
}

/** Number without the zero before its decimal point. */
function short(steps: number): string {
  return String(steps / STEPS).replace(/^(-?)0\./, '$1.');
}
