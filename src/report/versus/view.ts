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
import { comparisonFacts } from '../comparison/shards.ts';
import { ratioText } from '../comparison/stored-words.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { comparisonLabel, MINUS, valueText, whereClause } from '../comparison/words.ts';
import type { Studies, StudyReading } from '../studies.ts';
import { type About, aboutOf } from '../views/about.ts';
import { factsOf } from '../views/facts.ts';
import type { Judgement } from '../views/judgement.ts';
import { isTooFew, versusClaims } from './claims.ts';
import { type RankRow, rankingOf } from './ranking.ts';

/** Services against a reference as texts, the same in every report; not yet escaped. */
export interface VersusView {
  /** What all services are compared with; undefined if each is compared with one of its own. */
  readonly reference: string | undefined;
  /** One sentence for each service against the reference and each claim, the most important first. */
  readonly claims: readonly string[];
  /** The services from most to fewest requests per CPU second, the reference among them; empty for two services, or without one for all. */
  readonly ranking: readonly RankRow[];
  readonly pairings: readonly PairingRows[];
  readonly study: StudyReading;
  /** What containers cost, service by service; empty for a run in one runtime. */
  readonly containers: readonly ContainerRow[];
  readonly notes: readonly string[];
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

/** What containers cost a service: its figures there as multiples of those as plain processes, with their intervals. */
export interface ContainerRow {
  readonly about: About;
  readonly service: string;
  readonly cpu: string;
  readonly capacity: string;
  /** Latency by the tiers that the rounds loaded. */
  readonly latency: readonly string[];
}

/** All that was compared of a service and the reference. */
export interface PairingRows {
  readonly title: string;
  /** What both services are called, the reference first. */
  readonly reference: string;
  readonly other: string;
  readonly rows: readonly PairingRow[];
}

/** One figure of both. */
export interface PairingRow {
  readonly about: About;
  readonly label: string;
  readonly reference: string;
  readonly other: string;
  readonly ratio: string;
  /** "+350 µs [310, 390]": what the other takes more; only of times. */
  readonly difference: string;
  readonly standing: string;
  readonly noise: string;
  /** "10", or of what is counted "2 starts". */
  readonly rounds: string;
}

/** What was measured of the services of rounds against each other; slots of the same services count if rounds are too few. */
export function evidenceOf(
  run: VersusRun,
  result: Pick<ComparisonResult, 'findings'>,
  slots?: CellTable,
): StudyEvidence & { readonly paired: PairedServices } {
  return { paired: { ...run.rounds.versus, pairings: pairingsOf(result) }, slots };
}

/** What a comparison of services says. */
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
        ? []
        : rankingOf({ run, labels: view.labels, pairings, reference: versus.reference, slots }),
    containers: reference === undefined ? containerRows(run, view, pairings) : [],
    pairings: pairings.map((pairing) => rowsOf(run, view, pairing)),
    notes: [...result.notes, ...lossesOf(view)],
    facts: comparisonFacts(view),
  };
}

/** What the rounds of a main job say of its services, without the facts that its slots have, too; undefined if it had none. */
export function viewRounds({ run, versus }: Judgement, studies: Studies): VersusView | undefined {
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
function containerRows(run: VersusRun, view: ComparisonView, pairings: readonly Pairing[]): readonly ContainerRow[] {
  return pairings.map(({ service, standings, capacity }) => {
    const whole = standings.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
    const cpu = whole.find(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION);
    const p50 = standings.filter(({ metric, cell }) => metric === 'latencyP50Ms' && cell.tier !== SATURATION);
    return {
      about: aboutOf(run, { services: [referenceOf(run.rounds.versus, service), service] }),
      service: view.labels.service(service),
      cpu: ratioText(cpu?.ratio),
      capacity: ratioText(capacity?.ratio),
      latency: p50.map(({ cell, ratio }) => `${latencyPlace(view, cell)}: ${ratioText(ratio)}`),
    };
  });
}

/** "GetUser at 100 users"; a tier of one operation names it already. */
function latencyPlace({ labels }: ComparisonView, { operation, tier }: Pick<CellKey, 'operation' | 'tier'>): string {
  const [what, where] = [labels.operation(operation), labels.tier(tier)];
  return where.includes(what) ? where : `${what} at ${where}`;
}

function rowsOf(run: VersusRun, view: ComparisonView, { service, standings }: Pairing): PairingRows {
  const name = referenceOf(run.rounds.versus, service);
  const [reference, other] = [view.labels.service(name), view.labels.service(service)];
  return {
    title: `${other} against ${reference}`,
    reference,
    other,
    rows: standings.map((one) => ({
      about: aboutOf(run, {
        services: [name, service],
        tier: one.cell.tier,
        metric: one.metric,
        isChanged: isApart(one),
      }),
      label: comparisonLabel(view, one.cell, one.metric),
      reference: valueText(one.metric, one.reference),
      // Of the same rounds as the ratio, so that the three figures of a row agree.
      other: valueText(one.metric, one.reference * one.ratio.times),
      ratio: ratioText(one.ratio),
      difference: differenceText(one),
      standing: isTooFew(one) ? 'no verdict' : WORDS[one.standing],
      noise: one.noise,
      rounds: isCounted(one.metric) ? counted(one.rounds, 'start') : String(one.rounds),
    })),
  };
}

/** Whether one of the two is surely better; undefined if the rounds are too few for a verdict. */
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

/** What several services lost alike is one sentence. */
function lossesOf(view: ComparisonView): readonly string[] {
  const services = new Map<string, string[]>();
  for (const { cell, detail } of view.result.uncompared) {
    const loss = `${whereClause(view, cell)}: ${detail}.`;
    services.set(loss, [...(services.get(loss) ?? []), view.labels.service(cell.service)]);
  }
  return [...services].map(([loss, named]) => `Not compared: ${wordList([...new Set(named)])}${loss}`);
}
