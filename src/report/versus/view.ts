import { counted, formatDuration, NO_FIGURE, withoutUnit } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { type CellTable, readCells } from '../../judge/reading/cells.ts';
import {
  inverse,
  type PairedServices,
  type Pairing,
  pairingsOf,
  type ServiceRatio,
  type StudyEvidence,
  startUpOf,
} from '../../judge/study/versus.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import {
  ALL_OPERATIONS,
  type CellKey,
  formatMetric,
  isCounted,
  METRICS,
  type Metric,
  SATURATION,
} from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import { referenceOf, type VersusRun, versusRun } from '../../model/run/comparison.ts';
import type { Run } from '../../model/run/run.ts';
import { comparisonFacts } from '../comparison/rounds.ts';
import { detailText } from '../comparison/sentences.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { comparisonLabel, MINUS, ratioText, valueText, whereClause } from '../comparison/words.ts';
import { blocksIn, claimBlocks, type Document, list, methodSection, type Section, type Table } from '../document.ts';
import type { Studies, StudyReading } from '../studies.ts';
import { aboutOf, filtersOf } from '../views/about.ts';
import { factsOf, placeTexts, startOf } from '../views/facts.ts';
import type { Judgment } from '../views/judgment.ts';
import { notesOf } from '../views/notes.ts';
import type { Labels } from '../views/run-view.ts';

type VersusView = ReturnType<typeof viewVersus>;

/** Measured ratios between services in rounds; slots count if there are too few rounds. */
export function evidenceOf(
  run: VersusRun,
  result: Pick<ComparisonResult, 'answers'>,
  slots?: CellTable,
): StudyEvidence & { readonly paired: PairedServices } {
  return { paired: { ...run.rounds.versus, pairings: pairingsOf(result) }, slots };
}

export function viewVersus(run: VersusRun, result: ComparisonResult, studies: Studies, slots?: CellTable) {
  const { versus } = run.rounds;
  const view = viewComparison(result, run);
  const evidence = evidenceOf(run, result, slots);
  const { pairings } = evidence.paired;
  // Undefined if each service has its own.
  const reference = versus.references === undefined ? view.labels.service(versus.reference) : undefined;
  const study = studies.reading(run, evidence);
  const sections: readonly Section[] = [
    ...study.sections,
    {
      id: 'containers',
      title: 'What containers cost',
      blocks: reference === undefined ? [containerTable(run, view, pairings)] : [],
    },
    {
      id: 'ranking',
      title: 'Ranking',
      blocks:
        reference === undefined || pairings.length < 2
          ? []
          : [rankingTable(run, view.labels, pairings, versus.reference, slots)],
    },
    ...pairings.map((pairing, place) => {
      const table = pairingTable(run, view, pairing);
      const isFolded = pairings.length > 1;
      return { id: `pairing-${place + 1}`, title: table.caption, blocks: [table], isFolded, kin: 'pairings' };
    }),
    study.findings,
  ];
  return {
    reference,
    /** One sentence for each service against the reference and each claim, the most important first. */
    claims: versusClaims(view, run, pairings, study),
    sections: sections.filter(({ blocks }) => blocksIn('html', blocks).length > 0),
    notes: [...notesOf(view).notes, ...lossesOf(view)],
    facts: comparisonFacts(view),
  };
}

/** View of the rounds of a main job, without facts of its slots; undefined if it had none. */
export function viewRounds({ run, compared }: Judgment, studies: Studies): VersusView | undefined {
  const rounds = versusRun(run);
  if (rounds === undefined || compared === undefined) {
    return undefined;
  }
  const view = viewVersus(rounds, compared, studies, readCells(run));
  const known = new Set(factsOf(run).map(({ name, value }) => `${name}: ${value}`));
  return { ...view, facts: view.facts.filter(({ name, value }) => !known.has(`${name}: ${value}`)) };
}

const WORDS: Readonly<Record<ServiceRatio['status'], string>> = {
  better: 'better',
  worse: 'worse',
  same: 'the same',
  unclear: 'inconclusive',
};

function containerTable(run: VersusRun, view: ComparisonView, pairings: readonly Pairing[]): Table {
  return {
    kind: 'table',
    isCaptioned: true,
    caption: 'In containers, as a multiple of the same service as plain processes [95% interval]',
    columns: [
      'service',
      'CPU per request at saturation',
      'requests/s at saturation',
      { text: 'latency, median', isText: true },
    ],
    rows: pairings.map(({ service, ratios, capacity }) => {
      const cpu = ratios.find(
        ({ metric, cell }) =>
          metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION && cell.operation === ALL_OPERATIONS,
      );
      const p50 = ratios.filter(({ metric, cell }) => metric === 'latencyP50Ms' && cell.tier !== SATURATION);
      const latency = p50.map(({ cell, ratio }) => `${latencyPlace(view, cell)}: ${ratioText(ratio)}`);
      return {
        about: aboutOf(run, { services: [referenceOf(run.rounds.versus, service), service] }),
        head: view.labels.service(service),
        cells: [ratioText(cpu?.ratio), ratioText(capacity?.ratio), latency.join('; ')],
      };
    }),
  };
}

/** "GetUser at 100 users"; a tier of one operation names it already. */
function latencyPlace({ labels }: ComparisonView, { operation, tier }: Pick<CellKey, 'operation' | 'tier'>): string {
  const [what, where] = [labels.operation(operation), labels.tier(tier)];
  return where.includes(what) ? where : `${what} at ${where}`;
}

function pairingTable(run: VersusRun, view: ComparisonView, { service, ratios }: Pairing): Table {
  const name = referenceOf(run.rounds.versus, service);
  const [reference, other] = [view.labels.service(name), view.labels.service(service)];
  const columns = [
    reference,
    other,
    'ratio [95% CI]',
    'difference',
    { text: 'verdict', isText: true },
    'noise',
    'rounds',
  ];
  return {
    kind: 'table',
    caption: `${other} against ${reference}`,
    columns: ['', ...columns],
    rows: ratios.map((one) => {
      const tone = one.status === 'better' || one.status === 'worse' ? one.status : undefined;
      const isChanged = isTooFew(one) ? undefined : tone !== undefined;
      const about = { services: [name, service], tier: one.cell.tier, metric: one.metric, isChanged };
      return {
        about: aboutOf(run, about),
        head: comparisonLabel(view, one.cell, one.metric),
        cells: [
          valueText(one.metric, one.reference),
          // Computed from the same rounds as the ratio, so that the three figures of a row agree.
          valueText(one.metric, one.reference * one.ratio.times),
          ratioText(one.ratio),
          differenceText(one),
          isTooFew(one) ? 'no verdict' : { text: WORDS[one.status], tone },
          one.noise,
          isCounted(one.metric) ? counted(one.rounds, 'start') : String(one.rounds),
        ],
      };
    }),
  };
}

const OF_TIME: ReadonlySet<string> = new Set<Metric['unit']>(['ms', 'µs']);

/** Difference of latency or CPU time, in the unit of its row: the reference's value times the ratio's distance from 1. */
function differenceText({ metric, reference, ratio: { times, low, high } }: ServiceRatio): string {
  const units: Readonly<Record<string, Metric>> = METRICS;
  const unit = units[metric]?.unit ?? '';
  if (!OF_TIME.has(unit)) {
    return '';
  }
  const all = low === undefined || high === undefined ? [times] : [times, low, high];
  const differences = all.map((one) => (one - 1) * reference);
  const sizeText = (value: number): string => withoutUnit(valueText(metric, Math.abs(value)));
  // Decimals of the largest value, for all.
  const decimals = decimalsIn(sizeText(Math.max(...differences.map(Math.abs))));
  const [own, ...ends] = differences.map((value) => {
    const [size, rounded] = [sizeText(value), Math.abs(value).toFixed(decimals)];
    const sign = value < 0 ? MINUS : '+';
    return Number(rounded) === 0 ? '0' : `${sign}${decimalsIn(size) > decimals ? rounded : size}`;
  });
  return `${own === '0' ? own : `${own} ${unit}`}${ends.length === 0 ? '' : ` [${ends.join(', ')}]`}`;
}

function decimalsIn(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function lossesOf(view: ComparisonView): readonly string[] {
  const losses = Map.groupBy(view.losses, (one) => `${whereClause(view, one.cell)}: ${detailText(one, view.run)}.`);
  return [...losses].map(([loss, own]) => {
    const services = new Set(own.map(({ cell }) => view.labels.service(cell.service)));
    return `Not compared: ${wordList([...services])}${loss}`;
  });
}

/** Services against a reference: the claims first, then every figure. */
export function versusDocument(run: Run, view: VersusView): Document {
  return {
    title: `${view.reference === undefined ? 'Containers against plain processes' : `Services against ${view.reference}`}: ${run.suite.title}`,
    facts: [startOf(run), ...placeTexts(run)],
    summary: [...claimBlocks(view.claims), list(view.notes)],
    sections: [...view.sections, methodSection(view.facts)],
    filters: filtersOf(run, DIFFERENCES_ONLY),
    origin: run,
  };
}

/** Label of the filter for rows with a clear difference. */
export const DIFFERENCES_ONLY = 'Clear differences only';

/** Report sections on the rounds of a run, in addition to the claims. */
export function roundSections(view: VersusView): readonly Section[] {
  const [first, ...others] = view.sections;
  return first === undefined ? [] : [{ ...first, blocks: [...first.blocks, list(view.notes)] }, ...others];
}

/** Sentences of studies, or on services against their references. */
export function versusClaims(
  view: ComparisonView,
  run: VersusRun,
  pairings: readonly Pairing[],
  study: Pick<StudyReading, 'claims'>,
): readonly string[] {
  if (pairings.length === 0 && study.claims.length === 0) {
    return ['Nothing could be compared.'];
  }
  const few = pairings.flatMap(({ ratios }) => ratios).find(isTooFew);
  const own = pairings.flatMap(({ service, perCpuSecond, capacity }) => {
    const names = [service, referenceOf(run.rounds.versus, service)].map(view.labels.service);
    return [...claim(names, perCpuSecond, PER_CPU_SECOND), ...claim(names, capacity, AT_SATURATION)];
  });
  return [
    ...(few === undefined ? [] : [noVerdicts(few, run.rounds)]),
    ...(study.claims.length > 0 ? study.claims : pairings.length > 2 ? [] : own),
  ];
}

/** True if the rounds are inconclusive; counts need none. */
function isTooFew({ metric, rounds }: Pick<ServiceRatio, 'metric' | 'rounds'>): boolean {
  return rounds < FEWEST_ROUNDS && !isCounted(metric);
}

function noVerdicts({ rounds }: Pick<ServiceRatio, 'rounds'>, { ended, budgetSeconds }: VersusRun['rounds']): string {
  const why = ended === 'budget' ? `; the time budget of ${formatDuration(budgetSeconds)} ran out` : '';
  return `Not enough rounds for a verdict (${rounds} of ${FEWEST_ROUNDS}${why}).`;
}

const PER_CPU_SECOND = 'requests per CPU second';
const AT_SATURATION = 'requests/s at saturation';

/** "gRPC serves 1.72 [1.66, 1.79] times as many requests per CPU second as REST." */
function claim(
  [other = '', reference = '']: readonly string[],
  found: ServiceRatio | undefined,
  what: string,
): readonly string[] {
  if (found === undefined) {
    return [];
  }
  const { ratio, status, rounds } = found;
  if (rounds >= FEWEST_ROUNDS && status === 'same') {
    return [`${other} serves as many ${what} as ${reference}: ${ratioText(ratio)} times.`];
  }
  const [first, second, more] = ratio.times >= 1 ? [other, reference, ratio] : [reference, other, inverse(ratio)];
  const end = rounds >= FEWEST_ROUNDS && status === 'unclear' ? `: ${WORDS[status]}` : '';
  return [`${first} serves ${ratioText(more)} times as many ${what} as ${second}${end}.`];
}

/** Services from most to fewest requests per CPU second, including the reference; in slots, services start one at a time. */
function rankingTable(
  run: VersusRun,
  labels: Labels,
  pairings: readonly Pairing[],
  reference: string,
  slots: CellTable | undefined,
): Table {
  const tiers = [...run.suite.tiers.map(({ name }) => name), SATURATION];
  const startText = (service: string) => slots && startUpText(startUpOf({ service, reference }, tiers, slots));
  const starts = new Map([reference, ...pairings.map(({ service }) => service)].map((name) => [name, startText(name)]));
  const hasStarts = [...starts.values()].some((text) => text !== undefined);
  const row = (service: string, gain: number, figures: readonly string[]) => ({
    gain,
    about: aboutOf(run, { services: [service] }),
    head: labels.service(service),
    cells: [...figures, ...(hasStarts ? [starts.get(service) ?? NO_FIGURE] : [])],
  });
  const rows = pairings.map(({ service, ratios, perCpuSecond, capacity }) => {
    const memory = ratios.find(({ metric, cell }) => metric === 'peakMemoryMiB' && cell.tier === ALL_TIERS);
    const figures = [perCpuSecond, capacity, memory].map((one) => ratioText(one?.ratio));
    return row(service, perCpuSecond?.ratio.times ?? 0, figures);
  });
  return {
    kind: 'table',
    caption: 'Services by requests per CPU second',
    columns: [
      'service',
      'requests per CPU second, ratio [95% CI]',
      'requests/s at saturation',
      'memory',
      ...(hasStarts ? ['start to first answer'] : []),
    ],
    rows: [...rows, row(reference, 1, ['reference', 'reference', 'reference'])].toSorted(
      (left, right) => right.gain - left.gain,
    ),
  };
}

/** "1,900 ms: 12.3 [10.1, 15]". */
function startUpText(found: ReturnType<typeof startUpOf>): string | undefined {
  const own = found && formatMetric('startUpMs', found.medianMs);
  return found?.times === undefined ? own : `${own}: ${ratioText(found.times)}`;
}
