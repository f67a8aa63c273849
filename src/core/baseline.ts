import { z } from 'zod';
import { ConfigError } from './errors.ts';
import type { BaselineComparison, Comparison, Provenance, Verdict } from './judgement.ts';
import { METRIC_NAMES, type MetricName } from './metric.ts';
import type { Run } from './run.ts';
import { runnerClass } from './runner.ts';
import { type CellKey, cellName, type Mark, type Sample } from './sample.ts';

/** Version of the layout of a baseline file; a file of another version is refused. */
const BASELINE_SCHEMA = 1;

const baselineSchema = z.object({
  schema: z.literal(BASELINE_SCHEMA),
  provenance: z.object({
    startedAt: z.string(),
    commit: z.string().optional(),
    cpuModel: z.string(),
    runnerClass: z.string(),
    profile: z.string(),
    note: z.string(),
  }),
  cells: z
    .array(
      z.object({
        cell: z.object({ suite: z.string(), service: z.string(), operation: z.string(), tier: z.string() }),
        rounds: z.int().positive(),
        values: z.partialRecord(z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]), z.number()),
      }),
    )
    .readonly(),
});

/** Stored figures of one run on one runner class, with where they come from. */
export type Baseline = z.infer<typeof baselineSchema>;

/** What is held against a baseline; tails that one run cannot tell (p99.9, max) are left out. */
const COMPARED: readonly MetricName[] = [
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP99Ms',
  'achievedRps',
  'errorRate',
  'cpuMicrosPerRequest',
  'peakMemoryMiB',
  'wireBytesPerRequest',
];

/** The baseline that a run makes: the median over its rounds, per cell and metric. `note` says how it was taken. */
export function baselineOf(run: Run, note: string): Baseline {
  const provenance: Provenance = {
    startedAt: run.startedAt,
    commit: run.commit.head,
    cpuModel: run.runner.cpuModel,
    runnerClass: runnerClass(run.runner),
    profile: run.plan.profile.name,
    note,
  };
  const cells = [...byCell(run.samples).values()].map((samples) => ({
    cell: samples[0].cell,
    rounds: samples.length,
    values: mediansOf(samples),
  }));
  return { schema: BASELINE_SCHEMA, provenance, cells };
}

/** The text of a baseline file: one cell a line, so that a reviewer sees what moved. */
export function formatBaseline({ schema, provenance, cells }: Baseline): string {
  const lines = cells.map((cell) => `    ${JSON.stringify(cell)}`).join(',\n');
  const head = JSON.stringify(provenance, undefined, 2).replaceAll('\n', '\n  ');
  return `{\n  "schema": ${schema},\n  "provenance": ${head},\n  "cells": [\n${lines}\n  ]\n}\n`;
}

/** The baseline in a file's text; throws ConfigError naming the file where it is not one of this version. */
export function parseBaseline(content: string, file: string): Baseline {
  let found: unknown;
  try {
    found = JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not JSON, or was cut short`, { cause, next: REFRESH });
  }
  const parsed = baselineSchema.safeParse(found);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is malformed'}`, {
      next: REFRESH,
    });
  }
  return parsed.data;
}

const REFRESH = 'Write it anew with `wiregauge baseline update out/run.json`.';

/**
 * A run held against a stored baseline: differences per cell and metric, none of them judged, since one stored run
 * says nothing of the noise between runs; or why there is no difference to state.
 */
export function compareWithBaseline(run: Run, baseline: Baseline, file: string): BaselineComparison {
  const isOtherRunner =
    runnerClass(run.runner) !== baseline.provenance.runnerClass || run.runner.cpuModel !== baseline.provenance.cpuModel;
  const now = byCell(run.samples);
  const verdicts: Verdict[] = [];
  for (const { cell, values } of baseline.cells) {
    const samples = now.get(cellName(cell));
    verdicts.push(
      ...(samples === undefined ? [absent(run, cell)] : verdictsOn({ samples, before: values, isOtherRunner })),
    );
    now.delete(cellName(cell));
  }
  for (const samples of now.values()) {
    verdicts.push({ kind: 'unmeasured', cell: samples[0].cell, reason: 'new' });
  }
  const { commit, ...provenance } = baseline.provenance;
  return { file, provenance: { ...provenance, commit }, verdicts };
}

type CellSamples = readonly [Sample, ...Sample[]];

function absent(run: Run, cell: CellKey): Verdict {
  const failed = run.failures.some(({ service, tier }) => service === cell.service && tier === cell.tier);
  return { kind: 'unmeasured', cell, reason: failed ? 'failed' : 'gone' };
}

interface Pair {
  readonly samples: CellSamples;
  readonly before: Baseline['cells'][number]['values'];
  readonly isOtherRunner: boolean;
}

/** Marks under which a latency says nothing about the service. */
const SPOILING: readonly (Mark & ('saturated' | 'generator-limited'))[] = ['generator-limited', 'saturated'];

function verdictsOn({ samples, before, isOtherRunner }: Pair): Verdict[] {
  const { cell } = samples[0];
  const spoiled = SPOILING.find((mark) => samples.some((sample) => sample.marks.includes(mark)));
  if (spoiled !== undefined) {
    return [{ kind: 'unmeasured', cell, reason: spoiled }];
  }
  const now = mediansOf(samples);
  return COMPARED.flatMap((metric): Verdict[] => {
    const comparison = comparisonOf({ cell, metric, before: before[metric], now: now[metric] });
    if (comparison === undefined) {
      return [];
    }
    return isOtherRunner
      ? [{ kind: 'inconclusive', comparison, reason: 'other-runner' }]
      : [{ kind: 'not-judged', comparison }];
  });
}

interface Difference {
  readonly cell: CellKey;
  readonly metric: MetricName;
  readonly before: number | undefined;
  readonly now: number | undefined;
}

function comparisonOf({ cell, metric, before, now }: Difference): Comparison | undefined {
  if (before === undefined || now === undefined || (before === 0 && now === 0)) {
    return undefined;
  }
  return { cell, metric, before, now, change: before === 0 ? undefined : now / before - 1 };
}

function byCell(samples: readonly Sample[]): Map<string, CellSamples> {
  const cells = new Map<string, CellSamples>();
  for (const sample of samples) {
    const name = cellName(sample.cell);
    const [first, ...others] = cells.get(name) ?? [sample];
    cells.set(name, cells.has(name) ? [first, ...others, sample] : [first]);
  }
  return cells;
}

function mediansOf(samples: CellSamples): Partial<Record<MetricName, number>> {
  const medians: Partial<Record<MetricName, number>> = {};
  for (const metric of METRIC_NAMES) {
    const values = samples.flatMap((sample) => sample.values[metric] ?? []).sort((left, right) => left - right);
    const [low, high] = [values[Math.floor((values.length - 1) / 2)], values[Math.floor(values.length / 2)]];
    if (low !== undefined && high !== undefined) {
      medians[metric] = Number(((low + high) / 2).toPrecision(5));
    }
  }
  return medians;
}
