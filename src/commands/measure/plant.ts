import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { percentIn } from '../../config/schema/policy.ts';
import { type ErrorCode, MeasurementError } from '../../foundation/errors.ts';
import { formatChange, formatDuration } from '../../foundation/numbers.ts';
import { interruptible } from '../../host/signals.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { type PlantResult, plantResults } from '../../judge/calibration/plant.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { storedCalibration } from '../../measure/session/calibration.ts';
import { compareWithItself, type SelfComparison } from '../../measure/session/one-build.ts';
import { durationText } from '../../measure/session/runtime.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { shareText } from '../../report/stored/plant.ts';
import { tellResult } from '../program/result.ts';
import { type CommandEnd, judgedByItself, type WrittenReports, writeReports } from '../runs/report.ts';
import { routesAdvice } from './route-advice.ts';

/** A comparison with a slowdown of known size. */
export interface PlantFlags extends SelfComparison {
  /** More CPU time: 0.05 is 5%. */
  readonly plant: number;
}

/** Reads a share of CPU time: "5%", "0.5%". */
export function parsePlant(text: string): number {
  const share = percentIn(text) ?? 0;
  if (share <= 0 || share > MOST_PLANTED) {
    throw new InvalidArgumentError('Use a share of the CPU time above 0% and at most 50%, like 5%.');
  }
  return share;
}

/** More would need more than its fair share of a core that the service keeps busy. */
const MOST_PLANTED = 0.5;

/**
 * `wiregauge calibrate --plant`: compares a build with itself and a planted slowdown, and writes reports. Exit code 0 if the policy fails
 * each service for it, 1 if not, 2 if it could not be measured, or not in rounds enough.
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
        data: () => ({ run: path, plant: { cpu: flags.plant, seconds, services: results } }),
      },
    );
    const isFound = results.every((one) => one.isFound);
    return isFound ? 0 : result.outcome === 'incomplete' ? 2 : 1;
  });
  return { exitCode, written };
}

/** The same for people. */
export function plantText(share: number, results: readonly PlantResult[]): string {
  const lines = results.map(({ service, isFound, rounds, seconds, change, detectable }) => {
    const seen =
      change === undefined ? 'CPU time per request was not compared' : `CPU time per request ${formatChange(change)}`;
    const expected = detectable === undefined ? '' : `; calibration: from ${shareText(detectable)} on`;
    const after = `${rounds} rounds, ${formatDuration(seconds)}`;
    return `  ${service}: ${isFound ? 'found' : 'not found'} after ${after} (${seen}${expected})`;
  });
  return [`planted: ${shareText(share)} more CPU time`, ...lines].join('\n');
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
