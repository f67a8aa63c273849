import { counted, withoutUnit } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { type CellTable, readCells } from '../../judge/reading/cells.ts';
import {
  type PairedServices,
  type Pairing,
  pairingsOf,
  type ServiceRatio,
  type StudyEvidence,
} from '../../judge/study/versus.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, type CellKey, isCounted, METRICS, type Metric, SATURATION } from '../../model/metric.ts';
import { referenceOf, type VersusRun } from '../../model/run/comparison.ts';
import type { Run } from '../../model/run/run.ts';
import { ratioText } from '../comparison/ratios.ts';
import { comparisonFacts } from '../comparison/shards.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { comparisonLabel, MINUS, valueText, whereClause } from '../comparison/words.ts';
import { claimBlocks, type Document, list, methodSection, type Section, type Table } from '../document.ts';
import type { Studies, StudyReading } from '../studies.ts';
import { aboutOf, filtersOf } from '../views/about.ts';
import { factsOf, placeTexts, startOf } from '../views/facts.ts';
import type { Judgment } from '../views/judgment.ts';
import { detailText } from '../views/losses.ts';
import { notesOf } from '../views/notes.ts';
import { isTooFew, versusClaims } from './claims.ts';
import { rankingTable } from './ranking.ts';

/** Services against a reference as texts, the same in every report; not yet escaped. */
interface VersusView {
  /** Common reference of all services; undefined if each has its own. */
  readonly reference: string | undefined;
  /** One sentence for each service against the reference and each claim, the most important first. */
  readonly claims: readonly string[];
  /** Tables of three services or more with one reference. */
  readonly ranking: Table | undefined;
  /** All that was compared of each service and its reference. */
  readonly pairings: readonly Table[];
  readonly study: StudyReading;
  /** Cost of containers; without rows for a run in one runtime. */
  readonly containers: Table;
  readonly notes: readonly string[];
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

/** Measured ratios between services in rounds; slots count if there are too few rounds. */
export function evidenceOf(
  run: VersusRun,
  result: Pick<ComparisonResult, 'findings'>,
  slots?: CellTable,
): StudyEvidence & { readonly paired: PairedServices } {
  return { paired: { ...run.rounds.versus, pairings: pairingsOf(result) }, slots };
}

/** View of a comparison of services. */
export function viewVersus(
  run: VersusRun,
  result: ComparisonResult,
  { studies, slots }: { readonly studies: Studies; readonly slots?: CellTable },
): VersusView {
  const { versus } = run.rounds;
  const view = viewComparison(result, run);
  const evidence = evidenceOf(run, result, slots);
  const { pairings } = evidence.paired;
  const referenceFor = (service: string) => view.labels.service(referenceOf(versus, service));
  const reference = versus.references === undefined ? view.labels.service(versus.reference) : undefined;
  const study = studies.reading(run, evidence);
  return {
    reference,
    claims: versusClaims(view, { run, pairings, study }, referenceFor),
    study,
    ranking:
      reference === undefined || pairings.length < 2
        ? undefined
        : rankingTable({ run, labels: view.labels, pairings, reference: versus.reference, slots }),
    containers: containerTable(run, view, reference === undefined ? pairings : []),
    pairings: pairings.map((pairing) => pairingTable(run, view, pairing)),
    notes: [...notesOf(view).notes, ...lossesOf(view)],
    facts: comparisonFacts(view),
  };
}

/** View of the rounds of a main job, without facts of its slots; undefined if it had none. */
export function viewRounds({ run, versus }: Judgment, studies: Studies): VersusView | undefined {
  const view = versus && viewVersus(versus.run, versus.compared, { studies, slots: readCells(run) });
  const known = new Set(factsOf(run).map(({ name, value }) => `${name}: ${value}`));
  return view && { ...view, facts: view.facts.filter(({ name, value }) => !known.has(`${name}: ${value}`)) };
}

const WORDS: Readonly<Record<ServiceRatio['standing'], string>> = {
  better: 'better',
  worse: 'worse',
  same: 'the same',
  unclear: 'inconclusive',
};

/** CPU time and rate of all operations together, and the median latency of each. */
function containerTable(run: VersusRun, view: ComparisonView, pairings: readonly Pairing[]): Table {
  return {
    kind: 'table',
    caption: 'In containers, as a multiple of the same service as plain processes [95% interval]',
    columns: [
      'service',
      'CPU per request at saturation',
      'requests/s at saturation',
      { text: 'latency, median', isText: true },
    ],
    rows: pairings.map(({ service, standings, capacity }) => {
      const cpu = standings.find(
        ({ metric, cell }) =>
          metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION && cell.operation === ALL_OPERATIONS,
      );
      const p50 = standings.filter(({ metric, cell }) => metric === 'latencyP50Ms' && cell.tier !== SATURATION);
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

function pairingTable(run: VersusRun, view: ComparisonView, { service, standings }: Pairing): Table {
  const name = referenceOf(run.rounds.versus, service);
  const [reference, other] = [view.labels.service(name), view.labels.service(service)];
  const columns = [reference, other, 'ratio [95% CI]', 'difference', { text: '', isText: true }, 'noise', 'rounds'];
  return {
    kind: 'table',
    caption: `${other} against ${reference}`,
    isCaptionQuiet: true,
    columns: ['', ...columns],
    rows: standings.map((one) => {
      const about = { services: [name, service], tier: one.cell.tier, metric: one.metric, isChanged: isApart(one) };
      const tone = one.standing === 'better' || one.standing === 'worse' ? one.standing : undefined;
      return {
        about: aboutOf(run, about),
        head: comparisonLabel(view, one.cell, one.metric),
        cells: [
          valueText(one.metric, one.reference),
          // For the same rounds as the ratio, so that the three figures of a row agree.
          valueText(one.metric, one.reference * one.ratio.times),
          ratioText(one.ratio),
          differenceText(one),
          isTooFew(one) ? 'no verdict' : { text: WORDS[one.standing], tone },
          one.noise,
          isCounted(one.metric) ? counted(one.rounds, 'start') : String(one.rounds),
        ],
      };
    }),
  };
}

/** True if one of the two is surely better; undefined if the rounds are too few for a verdict. */
function isApart(one: ServiceRatio): boolean | undefined {
  return isTooFew(one) ? undefined : one.standing === 'better' || one.standing === 'worse';
}

const OF_TIME: ReadonlySet<string> = new Set<Metric['unit']>(['ms', 'µs']);

/** How much latency or CPU time more or less it is, in the unit of its row: so much of the reference's figure as the ratio is off 1. */
function differenceText({ metric, reference, ratio }: ServiceRatio): string {
  const units: Readonly<Record<string, Metric>> = METRICS;
  if (!OF_TIME.has(units[metric]?.unit ?? '')) {
    return '';
  }
  const text = (times: number): string => {
    const value = (times - 1) * reference;
    const size = valueText(metric, Math.abs(value));
    return value === 0 || size.startsWith('<') ? '0' : `${value < 0 ? MINUS : '+'}${size}`;
  };
  const { times, low, high } = ratio;
  const ends = low === undefined || high === undefined ? [] : [low, high].map((end) => withoutUnit(text(end)));
  return `${text(times)}${ends.length === 0 ? '' : ` [${ends.join(', ')}]`}`;
}

function lossesOf(view: ComparisonView): readonly string[] {
  const services = new Map<string, string[]>();
  for (const one of view.result.uncompared) {
    const { cell } = one;
    const loss = `${whereClause(view, cell)}: ${detailText(one, view.run)}.`;
    services.set(loss, [...(services.get(loss) ?? []), view.labels.service(cell.service)]);
  }
  return [...services].map(([loss, named]) => `Not compared: ${wordList([...new Set(named)])}${loss}`);
}

/** Services against a reference: the claims first, then every figure. */
export function versusDocument(run: Run, view: VersusView): Document {
  return {
    title: `${view.reference === undefined ? 'Containers against plain processes' : `Services against ${view.reference}`}: ${run.suite.title}`,
    facts: [startOf(run), ...placeTexts(run)],
    summary: [...claimBlocks(view.claims), list(view.notes)],
    sections: [...figureSections(view), methodSection(view.facts)],
    filters: filtersOf(run, DIFFERENCES_ONLY),
    origin: run,
  };
}

/** Label of the filter for rows with a clear difference. */
export const DIFFERENCES_ONLY = 'Clear differences only';

/** Part of a report on the rounds of a run, besides the claims. */
export function roundSections(view: VersusView): readonly Section[] {
  const [first, ...others] = figureSections(view);
  return first === undefined ? [] : [{ ...first, blocks: [...first.blocks, list(view.notes)] }, ...others];
}

function figureSections(view: VersusView): readonly Section[] {
  const isFolded = view.pairings.length > 1;
  return [
    ...view.study.sections,
    { id: 'containers', title: 'What containers cost', blocks: [view.containers] },
    { id: 'ranking', title: 'Ranking', blocks: view.ranking === undefined ? [] : [view.ranking] },
    ...view.pairings.map((pairing, place) => ({
      id: `pairing-${place + 1}`,
      title: pairing.caption,
      blocks: [pairing],
      isFolded,
      kin: 'pairings',
    })),
    view.study.findings,
  ].filter(({ blocks }) => blocks.some((block) => block.kind !== 'table' || block.rows.length > 0));
}
