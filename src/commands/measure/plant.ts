import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { type ErrorCode, MeasurementError } from '../../foundation/errors.ts';
import { formatChange, formatDuration } from '../../foundation/numbers.ts';
import { interruptible } from '../../host/signals.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { type PlantResult, plantedMetric, plantResults } from '../../judge/calibration/plant.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { storedCalibration } from '../../measure/session/calibration.ts';
import { compareWithItself, type SelfComparison } from '../../measure/session/one-build.ts';
import { durationText } from '../../measure/session/runtime.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { METRICS } from '../../model/metric.ts';
import { type PlantRecord, plantSchema, plantSize } from '../../model/run/plant.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { tellResult } from '../program/result.ts';
import { type CommandEnd, judgedByItself, type WrittenReports, writeReports } from '../runs/report.ts';
import { routesAdvice } from './route-advice.ts';

/** A comparison with a plant. */
export interface PlantFlags extends SelfComparison {
  readonly plant: PlantRecord;
}

/** Reads a plant: a share of CPU time "5%", a delay of the start "200ms" or "2s", memory "20MB". */
export function parsePlant(text: string): PlantRecord {
  const [, digits = '', unit = ''] = /^(\d{1,5}(?:\.\d{1,3})?)(%|ms|s|MB)$/.exec(text) ?? [];
  const plant = PLANTS[unit]?.(Number(digits));
  if (plant === undefined || !plantSchema.safeParse(plant).success) {
    throw new InvalidArgumentError(
      'Use a share of CPU time up to 50%, like 5%, a delay like 200ms, or memory like 20MB.',
    );
  }
  return plant;
}

const PLANTS: Readonly<Record<string, (size: number) => PlantRecord | undefined>> = {
  // More would need more than its fair share of a core that the service keeps busy.
  '%': (size) => (size > 50 ? undefined : { cpu: size / 100 }),
  ms: (size) => ({ startMs: size }),
  s: (size) => ({ startMs: size * 1000 }),
  MB: (size) => ({ memoryMB: size }),
};

/**
 * `wiregauge calibrate --plant`: compares a build with itself and a plant, and writes reports. Exit code 0 if each service regressed by it,
 * 1 if not, 2 if it could not be measured, or not in rounds enough.
 */
export async function plantSlowdown(flags: PlantFlags): Promise<CommandEnd> {
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    const run = await compareWithItself({ ...flags, counts: false, adviceFor: routesAdvice }, signal);
    refuseFailed(run);
    const profile = run.rounds.profile.name;
    const here = { root: process.cwd(), runner: run.runner, suite: run.suite.name, profile };
    const { result } = judgedRun(run);
    written = await writeReports(judgedByItself({ run, against: undefined }), flags.out);
    const results = plantResults(run, result, storedCalibration(here, remarkLog(flags)));
    const [seconds, path] = [run.spent.totalSeconds, join(flags.out, RUN_FILE)];
    tellResult(
      { command: 'calibrate', json: flags.json },
      {
        text: () => `${plantText(flags.plant, results)}\ntime: ${durationText(seconds)}\nrounds: ${path}\n`,
        data: () => ({ run: path, plant: { ...flags.plant, seconds, services: results } }),
      },
    );
    const isFound = results.every((one) => one.isFound);
    return isFound ? 0 : result.outcome === 'incomplete' ? 2 : 1;
  });
  return { exitCode, written };
}

/** The same for people. */
export function plantText(plant: PlantRecord, results: readonly PlantResult[]): string {
  const { title } = METRICS[plantedMetric(plant)];
  const lines = results.map(({ service, isFound, rounds, seconds, change, detectable }) => {
    const seen = change === undefined ? `${title} was not compared` : `${title} ${formatChange(change)}`;
    const expected = detectable === undefined ? '' : `; calibration: from ${plantSize({ cpu: detectable })} on`;
    const after = `${rounds} rounds, ${formatDuration(seconds)}`;
    return `  ${service}: ${isFound ? 'found' : 'not found'} after ${after} (${seen}${expected})`;
  });
  return [`planted: ${plantSize(plant)}`, ...lines].join('\n');
}

/** Throws what failed last of a service of which no round was kept: more time would not help. */
export function refuseFailed({ rounds: { rounds } }: Pick<RunInRounds, 'rounds'>): void {
  for (const service of new Set(rounds.map((round) => round.service))) {
    const own = rounds.filter((round) => round.service === service);
    const failure = own.findLast(({ outcome }) => outcome === 'failed')?.failure;
    if (failure !== undefined && !own.some(({ outcome }) => outcome === 'kept')) {
      const { message, code, brief = message, printed = '', next } = failure;
      // The run was made by this version, so it knows the code.
      const told = { brief, printed, ...(next !== undefined && { next }) };
      throw new MeasurementError(message, { code: code as ErrorCode, ...told });
    }
  }
}
