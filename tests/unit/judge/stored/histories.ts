import { type Random, seededRandom } from '../../../../src/foundation/random.ts';
import type { HistoryResult, HistoryVerdict } from '../../../../src/judge/stored/comparison.ts';
import { judgeByStored } from '../../../../src/judge/stored/judge.ts';
import type { StoredRun } from '../../../../src/judge/stored/stored-run.ts';
import { METRICS, type MetricName } from '../../../../src/model/metric.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';
import { storedRunOf } from '../../../support/stored-run.ts';

const COMMIT = '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210';

/** The run that is judged: later than every made-up one of the past. */
export function runNow(options: SampleRunOptions = {}) {
  const change = { startedAt: '2026-12-31T00:00:00Z', ...options.change };
  return sampleRun({ rounds: 3, ...options, change });
}

const TYPICAL = storedRunOf(runNow());

/** A run of the past whose figures are all worse by exp(`slower`). */
export function storedRun(day: number, slower: number, change: Partial<StoredRun> = {}): StoredRun {
  const cells = Object.entries(TYPICAL.cells).map(([place, values]) => [
    place,
    Object.fromEntries(Object.entries(values).map(([metric, value]) => [metric, worse(metric, value, slower)])),
  ]);
  const startedAt = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
  return { ...TYPICAL, startedAt, commit: commitOf(day), cells: Object.fromEntries(cells), ...change };
}

/** The commit of the run of a day. */
export function commitOf(day: number): string {
  return `${COMMIT.slice(0, 37)}${String(day).padStart(3, '0')}`;
}

/** A baseline of runs that are worse by exp(`slower`) each. */
export function baselineOf(slower: readonly number[], change: Partial<StoredRun> = {}): readonly StoredRun[] {
  return slower.map((value, day) => storedRun(day, value, change));
}

/** As many normal values with a standard deviation. */
export function normalValues(random: Random, count: number, sd: number): number[] {
  return Array.from({ length: count }, () => sd * normalValue(random));
}

/** A standard normal value (Box and Muller). */
export function normalValue(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function worse(metric: string, value: number, slower: number): number {
  const sign = METRICS[metric as MetricName].better === 'lower' ? 1 : -1;
  return value * Math.exp(sign * slower);
}

/** What 30 quiet runs were worse by. */
export const QUIET: readonly number[] = normalValues(seededRandom(11), 30, 0.008);

/** A run in which gRPC takes a fifth more CPU time per request at saturation. */
export const SLOW_GRPC: SampleRunOptions = { shapes: { 'grpc/saturation': { cpuMicros: 143 } } };

/** What is slower in it. */
export const CPU = 'grpc/all/saturation cpuMicrosPerRequest';

/** The run against its past, by the default policy where no other is given. */
export function judge(run: Run, baseline: readonly StoredRun[], policy = DEFAULT_POLICY): HistoryResult {
  return judgeByStored(run, baseline, policy);
}

/** The verdict on one metric, named as "service/operation/tier metric". */
export function verdictOn(verdicts: readonly HistoryVerdict[], name: string): HistoryVerdict | undefined {
  return verdicts.find((verdict) => {
    if (verdict.kind === 'unmeasured') {
      return false;
    }
    const { cell, metric } = verdict.comparison;
    return `${cell.service}/${cell.operation}/${cell.tier} ${metric}` === name;
  });
}

/** The kinds of verdict that occur. */
export function kindsOf(verdicts: readonly HistoryVerdict[]): readonly string[] {
  return [...new Set(verdicts.map(({ kind }) => kind))].sort();
}
