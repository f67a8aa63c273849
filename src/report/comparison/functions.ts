import { formatCount, NO_FIGURE, withoutUnit } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { CHECKOUT } from '../../judge/counts/counted.ts';
import { type ComparedCall, comparedCalls, grownFunctions } from '../../judge/counts/functions.ts';
import { callFigures, grownCommands } from '../../judge/counts/need-calls.ts';
import { type SampledGrowth, sampledGrowth } from '../../judge/profiler/growth.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { round } from '../charts/frame.ts';
import { type Block, fold, paragraph, type TableRow, withCode } from '../document.ts';
import { aboutAttribute } from '../render/filters.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import { type About, aboutOf } from '../views/about.ts';
import type { ComparisonView } from './view.ts';
import { failureText, MINUS, valueText } from './words.ts';

const METRIC = 'instructionsPerRequest';

/** Queries that grew, and for each service that became worse, its functions that execute more or take more CPU time; folded. */
export function grownBlocks(view: ComparisonView): readonly Block[] {
  const { run } = view;
  return run === undefined ? [] : [...queryBlocks(view), ...countedBlocks(view, run), ...sampledBlocks(view, run)];
}

const LONGEST_NAME = 80;

const FLAME_NOTE =
  'Red means more than in base, green less, and gray the same or a small difference. Hover over a function to see its figures. Functions that call nearly everything are left out, and so are those that only base executes.';

interface Grown {
  readonly run: RunInRounds;
  readonly service: string;
  readonly label: string;
  /** Verb for the functions: "execute more". */
  readonly do: string;
  readonly note: string;
  /** Columns after function, file, base and head. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly flame: Flame;
  /** Meaning of the width of a function in the graph. */
  readonly width: string;
}

function grownFold({ run, service, label, do: does, note, columns, rows, flame, width }: Grown): Block {
  const title = `Functions of ${label} that ${does}`;
  const about = aboutOf(run, { services: [service] });
  const graph = flameGraph(`Who calls what in ${label}, from the top down`, about, flame);
  const table: Block = {
    ...{ kind: 'table', about, caption: title, isList: true, rows },
    columns: ['function', { text: 'file', isText: true }, 'base', 'head', ...columns],
  };
  const drawn: readonly Block[] =
    graph === undefined
      ? []
      : [
          { kind: 'figures', charts: [graph] },
          { ...paragraph(`${width} ${FLAME_NOTE}`, 'note'), only: ['html'] },
        ];
  return fold(title, paragraph(note, 'note'), table, ...drawn);
}

const COUNTED_NOTE =
  'Instructions per request: of a function with everything it calls, and “self” without that. They come from a separate start, in which Python executes about 10% more to report its functions.';

function countedBlocks({ findings, labels }: ComparisonView, run: RunInRounds): readonly Block[] {
  const text = textOf(METRIC);
  const counted = findings.filter(({ metric }) => metric === METRIC);
  const worse = new Set(counted.filter(({ verdict }) => verdict === 'regressed').map(({ cell }) => cell.service));
  const isWhole = ({ cell }: Finding) => cell.operation === ALL_OPERATIONS && worse.has(cell.service);
  return counted.filter(isWhole).flatMap((whole) => {
    const { service } = whole.cell;
    const grown = grownFunctions(run, whole);
    const fold = grownFold({
      ...{ run, service, label: labels.service(service), do: 'execute more', note: COUNTED_NOTE },
      columns: ['more', 'more (self)'],
      rows: grown.map(({ name, object, base, head, more, moreSelf }) => {
        const [before, least] = base === undefined ? [NO_FIGURE, ' at least'] : [text(base), ''];
        return {
          head: cleanText(name, LONGEST_NAME),
          cells: [
            ...[cleanText(object, LONGEST_NAME), before, text(head)],
            ...[`${signed(more, text)}${least}`, signed(moreSelf, text)],
          ],
        };
      }),
      flame: { id: `flame-${service}`, calls: comparedCalls(run, service), text, least: CHECKOUT * whole.base },
      width: 'The width of a function shows what head executes in it and in everything it calls.',
    });
    return grown.length === 0 ? [] : [fold];
  });
}

const SAMPLED_NOTE =
  'CPU time per request of a function itself, without what it calls. Each version was profiled in a separate round, which is not judged. “Stacks” are the sampled ones with the function on top; the interval follows from their number.';

function sampledBlocks({ findings, labels }: ComparisonView, run: RunInRounds): readonly Block[] {
  const { sampled = [], missing = [] } = run.profiler ?? {};
  return [
    ...[...new Set(sampled.map(({ service }) => service))].flatMap((service) => {
      const growth = sampledGrowth(run, findings, service);
      return growth === undefined ? [] : [sampledFold(run, { service, label: labels.service(service) }, growth)];
    }),
    ...missing.map(({ service, ...failure }) => {
      const why = `The service takes more CPU time, but was not profiled: ${failureText(failure)}`;
      return fold(`No profile of ${labels.service(service)}`, paragraph(withCode(cleanText(why, 600))));
    }),
  ];
}

function sampledFold(run: RunInRounds, service: Pick<Grown, 'service' | 'label'>, growth: SampledGrowth): Block {
  const { profiler, stacks, grown, calls, least } = growth;
  const text = textOf('cpuMicrosPerRequest');
  const seen = `${cleanText(profiler, LONGEST_NAME)} sampled ${formatCount(stacks.base)} stacks in base and ${formatCount(stacks.head)} in head.`;
  const none = ' No function grew by more than chance can explain.';
  return grownFold({
    ...{ ...service, run, do: 'take more CPU time', note: `${seen}${grown.length === 0 ? none : ` ${SAMPLED_NOTE}`}` },
    columns: ['more [95%]', 'stacks'],
    rows: grown.map(({ name, object, base, head, more, margin, stacks: own }) => {
      const ends = [more - margin, more + margin].map((end) => withoutUnit(signed(end, text)));
      return {
        head: cleanText(name, LONGEST_NAME),
        cells: [
          ...[cleanText(object, LONGEST_NAME), text(base), text(head)],
          { text: signed(more, text), details: [{ text: `[${ends.join(', ')}]` }] },
          `${formatCount(own.base)} → ${formatCount(own.head)}`,
        ],
      };
    }),
    flame: { id: `flame-cpu-${service.service}`, calls, least, text },
    width: 'The width of a function shows the CPU time of head in it and in everything it calls.',
  });
}

function textOf(metric: string): (value: number) => string {
  return (value) => (value === 0 ? '0' : valueText(metric, value));
}

function signed(value: number, text: (value: number) => string): string {
  return `${value < 0 ? MINUS : '+'}${text(Math.abs(value))}`;
}

const QUERY_NOTE =
  'Queries per request, counted by a relay between the service and what it needs. Literals are left out, and so is what the service sends without a request.';

function queryBlocks({ run, labels }: ComparisonView): readonly Block[] {
  const { calls } = run ?? {};
  return run === undefined || calls === undefined
    ? []
    : callFigures(run, calls).flatMap(({ cell }) => {
        const grown = grownCommands(calls, cell);
        const title = `Queries of ${labels.operation(cell.operation)} (${labels.service(cell.service)}) that grew`;
        return grown.length === 0
          ? []
          : fold(title, paragraph(QUERY_NOTE, 'note'), {
              kind: 'table',
              about: aboutOf(run, { services: [cell.service] }),
              caption: title,
              isList: true,
              columns: ['query', { text: 'need', isText: true }, 'base', 'head'],
              rows: grown.slice(0, 10).map(({ need, text, base, head }) => ({
                head: cleanText(text, 200),
                cells: [need, formatCount(base), formatCount(head)],
              })),
            });
      });
}

const WIDTH = 1200;
const ROW = 18;
const CHARACTER = 6.4;
/** Functions that contain nearly everything would each take a row without showing anything. */
const TRUNK = 0.95;

const PALEST = 0.12;
const DEEPEST = 0.55;

interface Flame {
  /** Unique on the page; letters, digits, dots and dashes. */
  readonly id: string;
  readonly calls: readonly ComparedCall[];
  /** Changes below this number of instructions have no color. */
  readonly least: number;
  /** Formats a number of instructions. */
  readonly text: (instructions: number) => string;
}

/**
 * Flame graph of head with callers at the top: a function's width shows its instructions including callees, its color how much these differ from
 * base. Undefined without calls.
 */
function flameGraph(title: string, about: About, { id, calls, least, text }: Flame): Html | undefined {
  const shown = withoutTrunk(calls);
  const whole = sumOf(shown);
  if (whole === 0) {
    return undefined;
  }
  const frames = framesOf(shown, 0, 0, WIDTH / whole);
  const most = Math.max(least, ...frames.map(({ call }) => Math.abs(call.more)));
  const rows = 1 + Math.max(...frames.map(({ row }) => row));
  const marks = frames.map(({ call, left, row, width }) => {
    const [tone, depth] = colorOf(call.more, least, most);
    const [before, now] = [call.base, text(call.head)];
    const figures = before === undefined ? `${now}, and few or none in base` : `${text(before)} → ${now}`;
    const name = cleanText(call.name, MAX_NAME);
    const label = Math.floor((width - 4) / CHARACTER);
    const words =
      label < 3 ? undefined : html`<text x="${round(left + 3)}" y="${row * ROW + 13}">${cleanText(name, label)}</text>`;
    return html`<g class="${tone}"><title>${name} (${cleanText(call.object, MAX_NAME)}): ${figures}</title><rect x="${round(left)}" y="${row * ROW}" width="${round(width)}" height="${ROW - 1}" fill-opacity="${depth}"/>${words}</g>`;
  });
  return html`<figure class="chart flame"${aboutAttribute(about)}><figcaption>${title}</figcaption>
<div class="scroll" role="region" tabindex="0" aria-label="${title}"><svg viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">${title}</title><desc id="${id}-text">The table above lists the functions that grew most.</desc>
${joinLines(marks)}
</svg></div></figure>`;
}

const MAX_NAME = 120;

interface Frame {
  readonly call: ComparedCall;
  readonly left: number;
  readonly row: number;
  readonly width: number;
}

function framesOf(calls: readonly ComparedCall[], left: number, row: number, scale: number): readonly Frame[] {
  let from = left;
  return calls.flatMap((call) => {
    const frame = { call, left: from, row, width: call.head * scale };
    from += frame.width;
    return frame.width < 1 ? [] : [frame, ...framesOf(call.calls, frame.left, row + 1, scale)];
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

function colorOf(change: number, least: number, most: number): readonly [tone: string, depth: number] {
  const size = Math.abs(change);
  if (size < least) {
    return ['alike', PALEST];
  }
  return [change > 0 ? 'more' : 'less', round(PALEST + (DEEPEST - PALEST) * (size / most))];
}
