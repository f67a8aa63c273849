import { formatCount, NO_FIGURE } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { comparedCalls } from '../../judge/counts/calls.ts';
import { CHECKOUT } from '../../judge/counts/counted.ts';
import { type GrownFunction, grownFunctions } from '../../judge/counts/functions.ts';
import { type GrownTime, type SampledGrowth, sampledGrowth } from '../../judge/profiler/growth.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { type FlameContent, flameGraph } from '../charts/flame.ts';
import { type Block, fold, paragraph, type TableRow, withCode } from '../document.ts';
import { type About, aboutOf } from '../views/about.ts';
import type { ComparisonView } from './view.ts';
import { MINUS, valueText } from './words.ts';

const METRIC = 'instructionsPerRequest';

/** Of each service that became worse: its functions that execute more, as counted, or that take more CPU time, as a profiler saw it; folded. */
export function functionBlocks(view: ComparisonView): readonly Block[] {
  return [...countedBlocks(view), ...sampledBlocks(view)];
}

/** Of each service whose instructions regressed, as a whole or in an operation. */
function countedBlocks({ run, result, labels }: ComparisonView): readonly Block[] {
  const counted = result.findings.filter(({ metric }) => metric === METRIC);
  const worse = new Set(counted.filter(({ verdict }) => verdict === 'regressed').map(({ cell }) => cell.service));
  const isWhole = ({ cell }: Finding) => cell.operation === ALL_OPERATIONS && worse.has(cell.service);
  return counted.filter(isWhole).flatMap((whole) => {
    const grown = run === undefined ? [] : grownFunctions(run, whole);
    if (run === undefined || grown.length === 0) {
      return [];
    }
    const { service: name } = whole.cell;
    const service = { label: labels.service(name), about: aboutService(run, name) };
    return [foldOf(service, grown, flameBlocks(run, service, whole))];
  });
}

/** What a service is called, and what its blocks are about. */
interface ServiceShown {
  readonly label: string;
  readonly about: About;
}

function aboutService(run: RunInRounds, name: string): About {
  return aboutOf(run, { services: [name] });
}

const NOTE =
  'Instructions per request: of a function with everything it calls, and “self” without that. They come from a separate start, in which Python executes about 10% more to report its functions.';

const FLAME_NOTE =
  'The width of a function shows what head executes in it and in everything it calls. Red means more than in base, green less, and gray the same. Hover over a function to see its figures. Functions that call nearly everything are left out, and so are those that only base executes.';

function flameBlocks(run: RunInRounds, service: ServiceShown, { cell, base }: Finding): readonly Block[] {
  const description = 'The table above lists the functions that execute more.';
  const calls = comparedCalls(run, cell.service);
  const graph = { id: `flame-${cell.service}`, description, calls, text, least: CHECKOUT * base };
  return flame(graph, service, FLAME_NOTE);
}

/** Who called whom, which only a page can show. */
function flame(
  content: Omit<FlameContent, 'title' | 'about'>,
  { label, about }: ServiceShown,
  note: string,
): readonly Block[] {
  const graph = flameGraph({ ...content, about, title: `Who calls what in ${label}, from the top down` });
  return graph === undefined
    ? []
    : [
        { kind: 'figures', charts: [graph], isWide: true },
        { ...paragraph(note, 'note'), only: ['html'] },
      ];
}

/** Those of C++ and Rust can be much longer. */
const LONGEST_NAME = 80;

function foldOf({ label, about }: ServiceShown, grown: readonly GrownFunction[], flame: readonly Block[]): Block {
  const title = `Functions of ${label} that execute more`;
  const table: Block = {
    kind: 'table',
    about,
    caption: title,
    isCaptionQuiet: true,
    isList: true,
    columns: ['function', { text: 'file', isText: true }, 'base', 'head', 'more', 'more (self)'],
    rows: grown.map(rowOf),
  };
  return fold(title, paragraph(NOTE, 'note'), table, ...flame);
}

function rowOf({ name, object, base, head, more, moreSelf }: GrownFunction): TableRow {
  const [before, least] = base === undefined ? [NO_FIGURE, ' at least'] : [text(base), ''];
  return {
    head: cleanText(name, LONGEST_NAME),
    cells: [cleanText(object, LONGEST_NAME), before, text(head), `${signed(more)}${least}`, signed(moreSelf)],
  };
}

function text(instructions: number): string {
  return instructions === 0 ? '0' : valueText(METRIC, instructions);
}

function signed(instructions: number): string {
  return `${instructions < 0 ? MINUS : '+'}${text(Math.abs(instructions))}`;
}

/** Of each service that takes more CPU time than its instructions explain. */
function sampledBlocks({ run, result, labels }: ComparisonView): readonly Block[] {
  const { sampled = [], missing = [] } = run?.profiler ?? {};
  const seen = run === undefined ? [] : [...new Set(sampled.map(({ service }) => service))];
  return [
    ...seen.flatMap((name) => {
      const growth = run && sampledGrowth(run, result.findings, name);
      return run === undefined || growth === undefined
        ? []
        : [sampledFold(growth, name, { label: labels.service(name), about: aboutService(run, name) })];
    }),
    ...missing.map(({ service, message, next = '' }) =>
      fold(
        `No profile of ${labels.service(service)}`,
        paragraph(
          withCode(
            cleanText(`The service takes more CPU time, but was not profiled: ${message}. ${next}`, LONGEST_REASON),
          ),
        ),
      ),
    ),
  ];
}

const LONGEST_REASON = 600;

const SAMPLED_NOTE =
  'CPU time per request of a function itself, without what it calls. Each version was profiled in a separate round, which is not judged. The last column counts the sampled stacks with the function on top. The interval of the difference follows from the number of stacks.';

const SAMPLED_FLAME_NOTE =
  'The width of a function shows the CPU time of head in it and in everything it calls. Red means more than in base, green less, and gray about the same: a difference of less than a tenth of the growth of the service. Hover over a function to see its figures. Functions that call nearly everything are left out, and so are those that only base calls.';

function sampledFold(growth: SampledGrowth, name: string, service: ServiceShown): Block {
  const { profiler, stacks, grown, calls, least } = growth;
  const { label, about } = service;
  const title = `Functions of ${label} that take more CPU time`;
  const seen = `${cleanText(profiler, LONGEST_NAME)} sampled ${formatCount(stacks.base)} stacks in base and ${formatCount(stacks.head)} in head.`;
  const table: Block = {
    kind: 'table',
    about,
    caption: title,
    isCaptionQuiet: true,
    isList: true,
    columns: ['function', { text: 'file', isText: true }, 'base', 'head', 'more [95%]', 'stacks'],
    rows: grown.map(timeRow),
  };
  const told: readonly Block[] =
    grown.length === 0
      ? [paragraph(`${seen} No function grew by more than chance can explain.`)]
      : [paragraph(`${seen} ${SAMPLED_NOTE}`, 'note'), table];
  const description = 'The table above lists the functions that grew most.';
  const graph = { id: `flame-cpu-${name}`, description, calls, least, text: micros };
  return fold(title, ...told, ...flame(graph, service, SAMPLED_FLAME_NOTE));
}

function timeRow({ name, object, base, head, more, margin, stacks }: GrownTime): TableRow {
  const interval = `[${signedMicros(more - margin)}, ${signedMicros(more + margin)}]`;
  return {
    head: cleanText(name, LONGEST_NAME),
    cells: [
      ...[cleanText(object, LONGEST_NAME), micros(base), micros(head)],
      { text: signedMicros(more), details: [{ text: interval }] },
      `${formatCount(stacks.base)} → ${formatCount(stacks.head)}`,
    ],
  };
}

function micros(time: number): string {
  return time === 0 ? '0' : valueText('cpuMicrosPerRequest', time);
}

function signedMicros(time: number): string {
  return `${time < 0 ? MINUS : '+'}${micros(Math.abs(time))}`;
}
