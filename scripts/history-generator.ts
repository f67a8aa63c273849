import { type Random, seededRandom } from '../src/foundation/random.ts';
import { formatChanges, type HistoryChange } from '../src/history/store/changes.ts';
import type { EntryRunner, HistoryEntry, Series } from '../src/history/store/entry.ts';
import { columnsLine, entryLine } from '../src/history/store/entry.ts';
import { formatIndex, type HistoryIndex } from '../src/history/store/index-file.ts';
import { CHANGES_PATH, INDEX_PATH, openSegment, pathOf, withSegment } from '../src/history/store/segments.ts';
import { METRICS } from '../src/model/metric.ts';

/** Plan of a generated history; the same plan always gives the same files. */
export interface HistoryPlan {
  readonly seed: number;
  readonly runs: number;
  readonly operations: readonly string[];
  readonly metrics: readonly (keyof typeof LEVELS)[];
  /** Load of the tiers in words; without one, the runs lack it. */
  readonly loads?: Readonly<Record<string, string>>;
  /** Time of the last run. */
  readonly end: Date;
  readonly hoursBetween: number;
  readonly steps: readonly Step[];
  /** Tags by the index of their run. */
  readonly releases: Readonly<Record<number, string>>;
  /** Index of the first run on another machine. */
  readonly otherMachineFrom?: number;
  /** Changes an entry before it is written. */
  readonly edit?: (entry: HistoryEntry, place: number) => HistoryEntry;
}

/** From some run on, figures are multiplied by this factor. */
export interface Step {
  readonly place: number;
  readonly factor: number;
  readonly subject: string;
  readonly of: (series: Series) => boolean;
}

/** Typical value of a metric without any step, for REST at the lowest tier. */
const LEVELS = {
  latencyP50Ms: 1.4,
  latencyP95Ms: 3.1,
  latencyP99Ms: 5.6,
  achievedRps: 333,
  cpuMicrosPerRequest: 212,
  errorRate: 0,
} as const;

const SERVICES = { rest: 1, grpc: 0.72 };
const TIERS = { low: 1, medium: 1.6, high: 6.5, saturation: 22 };

const SUBJECTS = [
  'Validate identifiers once, at the edge',
  'Raise the log level of access lines',
  'Update dependencies',
  'Answer unknown users with a problem document',
  'Name the columns that a query needs',
  'Document the pagination of lists',
  'Close idle connections after a minute',
  'Add a readiness endpoint',
];

const MACHINES: readonly EntryRunner[] = ['AMD EPYC 7763 64-Core Processor', 'Intel(R) Xeon(R) Platinum 8370C'].map(
  (cpuModel) => ({ cpuModel, cores: 2, kernel: '6.11.0', platform: 'linux-x64', label: 'ubuntu-24.04' }),
);

/** Noise of 1.2% between runs. */
const NOISE = 0.012;

const HOUR_MS = 3_600_000;

/** Files of a generated history by path: index, segments and the planted change points. */
export function generateHistory(plan: HistoryPlan): ReadonlyMap<string, string> {
  const series = seriesOf(plan);
  const random = seededRandom(plan.seed);
  const files = new Map<string, string>();
  const entries = Array.from({ length: plan.runs }, (_, place) => {
    const entry = entryAt(plan, { series, place, random });
    return plan.edit?.(entry, place) ?? entry;
  });
  let index: HistoryIndex = { wiregauge: '0.1.0', repository: 'https://github.com/example/shop', segments: [] };
  const open = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const file = openSegment(index, entry.at);
    const runs = [...(open.get(file) ?? []), entry];
    open.set(file, runs);
    index = withRow(index, file, runs);
  }
  for (const [file, runs] of open) {
    const text = columnsLine(1, series) + runs.map((entry) => entryLine(entry, 1)).join('');
    files.set(pathOf(file), text);
    index = withSegment(index, file, text);
  }
  files.set(INDEX_PATH, formatIndex(index));
  files.set(CHANGES_PATH, formatChanges(plan.steps.flatMap((step) => changesOf(plan, step, { series, entries }))));
  return files;
}

/** Enough of a row to determine the open segment; its size comes with its text. */
function withRow(index: HistoryIndex, file: string, runs: readonly HistoryEntry[]): HistoryIndex {
  const at = runs.map((entry) => entry.at).sort();
  const row = { file, runs: runs.length, bytes: 0, from: at[0] ?? '', to: at.at(-1) ?? '' };
  return { ...index, segments: [...index.segments.filter((one) => one.file !== file), row] };
}

function seriesOf({ operations, metrics, loads = {} }: HistoryPlan): readonly Series[] {
  return Object.keys(SERVICES).flatMap((service) =>
    operations.flatMap((operation) =>
      Object.keys(TIERS).flatMap((tier) =>
        metrics.map((metric) => {
          const { unit, better } = METRICS[metric];
          const load = loads[tier];
          return {
            suite: 'users',
            service,
            operation,
            tier,
            metric,
            unit,
            better,
            ...(load !== undefined && { load }),
          };
        }),
      ),
    ),
  );
}

interface Place {
  readonly series: readonly Series[];
  readonly place: number;
  readonly random: Random;
}

function entryAt(plan: HistoryPlan, { series, place, random }: Place): HistoryEntry {
  const at = new Date(plan.end.getTime() - (plan.runs - 1 - place) * plan.hoursBetween * HOUR_MS).toISOString();
  const machine = MACHINES[plan.otherMachineFrom !== undefined && place >= plan.otherMachineFrom ? 1 : 0];
  const step = plan.steps.find((one) => one.place === place);
  const tag = plan.releases[place];
  const day = gauss(random) * NOISE * 0.5;
  return {
    run: `run-${String(place).padStart(6, '0')}`,
    at,
    suite: 'users',
    kind: 'run',
    series,
    values: series.map((one) => figure(levelAt(plan, one, place) * Math.exp(day + gauss(random) * NOISE))),
    spreads: series.map(() => figure(NOISE * (0.6 + random() * 0.9))),
    commit: {
      sha: Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join(''),
      subject: step?.subject ?? SUBJECTS[Math.floor(random() * SUBJECTS.length)] ?? '',
      at,
    },
    branch: 'main',
    pullRequest: 100 + place,
    tags: tag === undefined ? [] : [tag],
    tools: { ghz: '0.121.0', vegeta: '12.13.0' },
    settings: { runtime: 'docker', profile: 'standard', configHash: '5f2c9a17' },
    controlMs: figure(112 * Math.exp(gauss(random) * 0.004)),
    rounds: 3,
    outcome: 'passed',
    verdicts: [],
    links: { run: `https://github.com/example/shop/actions/runs/${7_000_000 + place}` },
    ...(machine !== undefined && { runner: machine }),
  };
}

/** Level of a series at a run, without noise. */
function levelAt({ steps }: HistoryPlan, series: Series, place: number): number {
  return steps
    .filter((step) => step.place <= place && step.of(series))
    .reduce((level, { factor }) => level * factor, baseOf(series));
}

function baseOf({ metric, service, operation, tier }: Series): number {
  const level = LEVELS[metric as keyof typeof LEVELS] ?? 1;
  const busy = SERVICES[service as keyof typeof SERVICES] ?? 1;
  const own = 1 + (operation.length % 4) * 0.08;
  const load = TIERS[tier as keyof typeof TIERS] ?? 1;
  if (metric === 'achievedRps') {
    return (level * Math.min(load * 2, 13)) / busy;
  }
  return level * busy * own * (metric === 'cpuMicrosPerRequest' ? 1 + Math.log10(load) / 10 : load);
}

interface Made {
  readonly series: readonly Series[];
  readonly entries: readonly HistoryEntry[];
}

function changesOf(
  plan: HistoryPlan,
  { place, factor, of }: Step,
  { series, entries }: Made,
): readonly HistoryChange[] {
  const entry = entries[place];
  const runsAfter = plan.runs - place;
  return entry === undefined
    ? []
    : series.filter(of).map((one) => ({
        series: one,
        run: entry.run,
        at: entry.at,
        ...(entry.commit !== undefined && { commit: entry.commit.sha }),
        ...(entry.commit?.subject !== undefined && { subject: entry.commit.subject }),
        before: figure(levelAt(plan, one, place - 1)),
        after: figure(levelAt(plan, one, place)),
        shift: figure(factor - 1),
        p: 0.00001,
        runsAfter,
        pending: runsAfter < 5,
      }));
}

function figure(value: number): number {
  return Number(value.toPrecision(5));
}

/** Standard normal (Box and Muller). */
function gauss(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
