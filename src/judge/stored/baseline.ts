import { z } from 'zod';
import { ConfigError, firstIssue, median, nameSchema as name, otherSchema, schemaOf } from '../../foundation/index.ts';
import {
  isInRounds,
  keptCounts,
  keptCountsSchema,
  METRIC_NAMES,
  type MetricName,
  presentProfileName,
  type Run,
  type RunnerFingerprint,
} from '../../model/index.ts';
import { type MeasuredCell, measuredCells, tellingValues } from './cells.ts';

/** Version of the layout of a baseline file; a file of another version is refused. */
const BASELINE_SCHEMA = 2;

/** More runs than these are not kept: the rule looks at the newest 30 of a kind of machine. */
const MOST_RUNS = 60;

const text = z.string().max(2000);

const count = z.int().positive();

const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const metricName = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const storedRun = z.object({
  startedAt: z.iso.datetime(),
  commit: text.optional(),
  /** Whether files had been changed since the commit. */
  dirty: z.boolean(),
  /** The kind of machine: figures of two kinds have different levels. */
  stratum: z.object({ cpuModel: text, cores: count, kernelMajor: text }),
  /** What was measured, and how: figures of different ones are never compared. */
  configuration: z.object({ runtime: name, profile: text, configHash: text, tools: text }),
  /** Median time of the fixed CPU loop; absent if the run had none. */
  controlMs: z.number().positive().optional(),
  /** Rounds that the values are medians of: the fewest of any cell. */
  rounds: count,
  /** How it was taken, for the reviewer. */
  note: text,
  /** Comparisons that were suspicious against the runs before; these values are no past, unless a new level begins with them. */
  suspicious: list(text),
  /** By "service/operation/tier". */
  cells: z.record(
    z.string().regex(/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/),
    z.partialRecord(metricName, z.number()),
  ),
  /** What services execute for a request, for a comparison whose base is this commit. */
  counts: list(keptCountsSchema).optional(),
});

const baselineSchema = z.object({
  schema: z.literal(BASELINE_SCHEMA),
  suite: name,
  runnerClass: name,
  runs: list(storedRun),
});

/** Stored runs of one suite on one runner class, in order of time. */
export type Baseline = Omit<z.infer<typeof baselineSchema>, 'schema'>;

/** One run of the past. */
export type StoredRun = Baseline['runs'][number];

/** The kind of machine that a run was measured on. */
export type Stratum = StoredRun['stratum'];

/** The same with each run once, in order of time, and only the newest 60. */
export function ordered(baseline: Baseline): Baseline {
  const once = new Map(baseline.runs.map((run) => [`${run.startedAt} ${run.commit ?? ''}`, run]));
  const runs = [...once.values()].sort((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt));
  return { ...baseline, runs: runs.slice(-MOST_RUNS) };
}

/** The text of a baseline file: one run a line, so that a reviewer sees what was added. */
export function formatBaseline({ suite, runnerClass, runs }: Baseline): string {
  const head = `  "schema": ${BASELINE_SCHEMA},\n  "suite": ${JSON.stringify(suite)},\n  "runnerClass": ${JSON.stringify(runnerClass)},`;
  const lines = runs.map((run) => `    ${JSON.stringify(run)}`).join(',\n');
  return `{\n${head}\n  "runs": [\n${lines}\n  ]\n}\n`;
}

/** The baseline in a file's text; throws ConfigError naming the file if it is not one of this version. */
export function parseBaseline(content: string, file: string): Baseline {
  const found = parseJson(content, file);
  if (isRun(found)) {
    throw new ConfigError(`${file} is a run, not a file of stored runs`, {
      code: 'WG-403',
      next: `Store it with \`wiregauge baseline update ${file}\`, and pass the file that it prints.`,
    });
  }
  const schema = schemaOf(found);
  if (schema !== BASELINE_SCHEMA) {
    throw new ConfigError(`${file}: ${otherSchema(found, BASELINE_SCHEMA)}`, {
      code: 'WG-403',
      next:
        schema === 1
          ? 'It contains one run, without its configuration and kernel: delete it, then start a new file with `wiregauge baseline update out/run.json`.'
          : 'Read it with the version that wrote it, or delete it and start a new one.',
    });
  }
  const parsed = baselineSchema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, {
      code: 'WG-403',
      next: 'Fix or delete that run: a run is one line, `wiregauge baseline update` adds one.',
    });
  }
  const { suite, runnerClass, runs } = parsed.data;
  return ordered({ suite, runnerClass, runs });
}

/** Only a run says what Wiregauge measured, and of which suite all is. */
function isRun(found: unknown): boolean {
  return runMark.safeParse(found).success;
}

const runMark = z.object({ suite: z.object({ name: z.string() }), samples: z.unknown() });

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not valid JSON, or is truncated`, {
      code: 'WG-403',
      cause,
      next: 'Restore the last good version from version control; a merge may have left both sides in it.',
    });
  }
}

/** Digits that a stored value keeps: more than any measurement has. */
const DIGITS = 5;

/** A run as a baseline keeps it: medians over its rounds, without what says nothing of the service. */
export function storedRunOf(run: Run, note: string): StoredRun {
  const measured = measuredCells(run);
  const cells = measured.filter(({ spoiled }) => spoiled === undefined);
  const controlMs = controlMsOf(run);
  const counts = run.instructions === undefined ? [] : keptCounts(run.instructions);
  return {
    startedAt: run.startedAt,
    ...(run.commit.head !== undefined && { commit: run.commit.head }),
    dirty: run.commit.dirty,
    stratum: stratumOf(run.runner),
    configuration: configurationOf(run),
    ...(controlMs !== undefined && { controlMs: rounded(controlMs) }),
    rounds: cells.reduce((fewest, { rounds }) => Math.min(fewest, rounds), cells[0]?.rounds ?? 1),
    note,
    suspicious: [],
    cells: Object.fromEntries(
      measured
        .map((cell) => [placeOf(cell.cell), roundedValues(tellingValues(cell))] as const)
        .filter(([, values]) => Object.keys(values).length > 0),
    ),
    ...(counts.length > 0 && { counts }),
  };
}

/** The kind of machine: CPU model, number of CPUs, and the kernel's first number. */
export function stratumOf({
  cpuModel,
  cores,
  kernel,
}: Pick<RunnerFingerprint, 'cpuModel' | 'cores' | 'kernel'>): Stratum {
  return { cpuModel, cores, kernelMajor: kernel.split('.')[0] ?? kernel };
}

/** What was measured and how. The load tools belong to it, since another version of one moves every figure. */
export function configurationOf(run: Run): StoredRun['configuration'] {
  return {
    runtime: run.runtime.name,
    profile: isInRounds(run) ? `${run.rounds.profile.name}, ${run.rounds.interleave}` : run.plan.profile.name,
    configHash: run.configHash,
    tools: toolsText(run.tools),
  };
}

/** Tools and their versions in one text, always in the same order. */
export function toolsText(tools: Run['tools']): string {
  return Object.entries(tools)
    .map(([tool, version]) => `${tool} ${version}`)
    .sort()
    .join(', ');
}

/** Whether two runs are of the same kind of machine. */
export function isSameStratum(one: Stratum, other: Stratum): boolean {
  return one.cpuModel === other.cpuModel && one.cores === other.cores && one.kernelMajor === other.kernelMajor;
}

/** Whether two runs measured the same in the same way. */
export function isSameConfiguration(one: StoredRun['configuration'], other: StoredRun['configuration']): boolean {
  return (
    one.runtime === other.runtime &&
    presentProfileName(one.profile) === presentProfileName(other.profile) &&
    one.configHash === other.configHash &&
    one.tools === other.tools
  );
}

/** The time of the fixed CPU loop, as the median over the kept rounds; undefined if there was none. */
export function controlMsOf(run: Run): number | undefined {
  const kept = isInRounds(run) ? run.rounds.rounds.filter(({ outcome }) => outcome === 'kept') : [];
  return median(kept.flatMap(({ controlMs }) => (controlMs === undefined ? [] : [controlMs.before, controlMs.after])));
}

/** Names a cell within a baseline, which is of one suite. */
export function placeOf({ service, operation, tier }: MeasuredCell['cell']): string {
  return `${service}/${operation}/${tier}`;
}

function roundedValues(values: MeasuredCell['values']): Partial<Record<MetricName, number>> {
  return Object.fromEntries(Object.entries(values).map(([metric, value]) => [metric, rounded(value)]));
}

/** Whether a stored cell has nothing but its error rate: the rest was no measure of its service. */
export function isErrorsOnly(values: StoredRun['cells'][string]): boolean {
  return Object.keys(values).every((metric) => metric === 'errorRate');
}

/** The value with as many digits as are stored. */
export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
