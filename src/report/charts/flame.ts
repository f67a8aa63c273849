import { cleanText } from '../../foundation/text.ts';
import type { ComparedCall } from '../../judge/counts/calls.ts';
import { aboutAttribute } from '../render/filters.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import type { About } from '../views/about.ts';
import { round } from './frame.ts';

/** In the graph's own units. */
const WIDTH = 1200;
const ROW = 18;
const CHARACTER = 6.4;
const NARROWEST = 1;
const FEWEST_CHARACTERS = 3;

/** Those that nearly everything is below have a row each and say nothing. */
const TRUNK = 0.95;

const PALEST = 0.12;
const DEEPEST = 0.55;

/** Content of a flame graph of a service. */
export interface FlameContent {
  /** Unique on the page; letters, digits, dots and dashes. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly calls: readonly ComparedCall[];
  /** Smaller changes than this, in instructions, have no color. */
  readonly least: number;
  /** How instructions are told. */
  readonly text: (instructions: number) => string;
  readonly about: About;
}

/**
 * A flame graph of head with the callers at the top: a function is as wide as what it executes with all that it calls, and colored by how
 * much that is more or less than in base. Undefined if there are no calls.
 */
export function flameGraph({ id, title, description, calls, least, text, about }: FlameContent): Html | undefined {
  const shown = withoutTrunk(calls);
  const whole = sumOf(shown);
  if (whole === 0) {
    return undefined;
  }
  const frames = framesOf(shown, { left: 0, row: 0, scale: WIDTH / whole });
  const most = Math.max(least, ...frames.map(({ call }) => Math.abs(call.more)));
  const rows = 1 + Math.max(...frames.map(({ row }) => row));
  const marks = frames.map(({ call, left, row, width }) => {
    const [tone, depth] = colorOf(call.more, { least, most });
    const name = cleanText(call.name, MOST_NAME);
    const label = Math.floor((width - 4) / CHARACTER);
    const words =
      label < FEWEST_CHARACTERS
        ? undefined
        : html`<text x="${round(left + 3)}" y="${row * ROW + 13}">${cleanText(name, label)}</text>`;
    return html`<g class="${tone}"><title>${name} (${cleanText(call.object, MOST_NAME)}): ${spoken(call, text)}</title><rect x="${round(left)}" y="${row * ROW}" width="${round(width)}" height="${ROW - 1}" fill-opacity="${depth}"/>${words}</g>`;
  });
  return html`<figure class="chart flame"${aboutAttribute(about)}><figcaption>${title}</figcaption>
<div class="scroll" role="region" tabindex="0" aria-label="${title}"><svg viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>
${joinLines(marks)}
</svg></div></figure>`;
}

const MOST_NAME = 120;

interface Frame {
  readonly call: ComparedCall;
  readonly left: number;
  readonly row: number;
  readonly width: number;
}

interface Place {
  readonly left: number;
  readonly row: number;
  readonly scale: number;
}

function framesOf(calls: readonly ComparedCall[], { left, row, scale }: Place): readonly Frame[] {
  let from = left;
  return calls.flatMap((call) => {
    const frame = { call, left: from, row, width: call.head * scale };
    from += frame.width;
    return frame.width < NARROWEST ? [] : [frame, ...framesOf(call.calls, { left: frame.left, row: row + 1, scale })];
  });
}

function withoutTrunk(calls: readonly ComparedCall[]): readonly ComparedCall[] {
  const [first] = calls;
  return first !== undefined && first.head >= TRUNK * sumOf(calls) && sumOf(first.calls) >= TRUNK * first.head
    ? withoutTrunk(first.calls)
    : calls;
}

function sumOf(calls: readonly ComparedCall[]): number {
  return calls.reduce((sum, { head }) => sum + head, 0);
}

function colorOf(
  change: number,
  { least, most }: { readonly least: number; readonly most: number },
): readonly [tone: string, depth: number] {
  const size = Math.abs(change);
  if (size < least) {
    return ['alike', PALEST];
  }
  return [change > 0 ? 'more' : 'less', round(PALEST + (DEEPEST - PALEST) * (size / most))];
}

function spoken({ base, head }: ComparedCall, text: (instructions: number) => string): string {
  return base === undefined ? `${text(head)}, and few or none in base` : `${text(base)} → ${text(head)}`;
}
