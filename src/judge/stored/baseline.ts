import { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { firstIssue, otherSchema, schemaOf } from '../../foundation/file-schema.ts';
import { nameSchema as name } from '../../foundation/name-schema.ts';
import { METRIC_NAMES, type MetricName } from '../../model/metric.ts';

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
  /** Median time of the fixed CPU loop; absent where the run had none. */
  controlMs: z.number().positive().optional(),
  /** Rounds that the values are medians of: the fewest of any cell. */
  rounds: count,
  /** How it was taken, for the reviewer. */
  note: text,
  /** Comparisons that were suspicious against the runs before; these values never count as the past. */
  suspicious: list(text),
  /** By "service/operation/tier". */
  cells: z.record(
    z.string().regex(/^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/),
    z.partialRecord(metricName, z.number()),
  ),
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

/** The baseline in a file's text; throws ConfigError naming the file where it is not one of this version. */
export function parseBaseline(content: string, file: string): Baseline {
  const found = parseJson(content, file);
  const schema = schemaOf(found);
  if (schema !== BASELINE_SCHEMA) {
    throw new ConfigError(`${file}: ${otherSchema(found, BASELINE_SCHEMA)}`, {
      next:
        schema === 1
          ? 'It holds one run, without its configuration and kernel: delete it, then begin a history with `wiregauge baseline update out/run.json`.'
          : 'Read it with the version that wrote it, or delete it and begin a new history.',
    });
  }
  const parsed = baselineSchema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, {
      next: 'Mend or delete that run: a run is one line, `wiregauge baseline update` adds one.',
    });
  }
  const { suite, runnerClass, runs } = parsed.data;
  return ordered({ suite, runnerClass, runs });
}

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not JSON, or was cut short`, {
      cause,
      next: 'Take the last good version from the version control; a merge may have left both sides in it.',
    });
  }
}
