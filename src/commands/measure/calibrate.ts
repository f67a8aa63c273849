import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { type ErrorCode, MeasurementError } from '../../foundation/errors.ts';
import { counted, formatChange, formatDuration } from '../../foundation/numbers.ts';
import { writeInto } from '../../host/files/output.ts';
import { hypervisor } from '../../host/machine/machine.ts';
import { interruptible } from '../../host/signals.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { calibrationOfRounds as calibration } from '../../judge/calibration/calibrate.ts';
import { type PlantResult, plantedMetric, plantResults } from '../../judge/calibration/plant.ts';
import { type PlantSearch, smallestPlant } from '../../judge/calibration/smallest-plant.ts';
import { countedSteadiness } from '../../judge/counts/counted.ts';
import { comparedOf } from '../../judge/verdict/compared.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { stealShareOf } from '../../measure/plans/round.ts';
import { CALIBRATION_FILE, storedCalibration, writeCalibration } from '../../measure/session/calibration.ts';
import { compareWithItself, type SelfComparison } from '../../measure/session/one-build.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { METRICS } from '../../model/metric.ts';
import { profileNamed } from '../../model/profiles.ts';
import type { RoundProfile } from '../../model/rounds.ts';
import { type Calibration, formatCalibration } from '../../model/run/calibration.ts';
import { type PlantRecord, plantSize } from '../../model/run/plant.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { calibrationText, steadinessText } from '../../report/stored/calibration.ts';
import { printResult } from '../program/result.ts';
import { type CommandEnd, judgedByItself, type WrittenReports, writeReports } from '../runs/report.ts';
import { routesAdvice } from './route-advice.ts';

const DRAWS = 500;

/**
 * `wiregauge calibrate`: compares a build with itself and reports what this machine can detect. Exit code 0, 2 if it could not be measured, 130 after
 * Ctrl-C; the record is written in any case if there were enough rounds. With Valgrind it counts instructions first, and reports which threshold they
 * support.
 */
export async function calibrate(flags: SelfComparison): Promise<number> {
  return await interruptible(async (signal) => {
    const run = await comparedWithItself({ ...flags, counts: true }, signal);
    const record = calibrationOfRun(run, profileNamed(flags.profile).rounds);
    const path = await writeCalibration(process.cwd(), record);
    // Also written next to the rounds: files that a workflow leaves in its checkout are gone after the job.
    await writeInto(flags.out, CALIBRATION_FILE, formatCalibration(record));
    const rounds = join(flags.out, RUN_FILE);
    const instructions = countedSteadiness(run);
    const time = `${formatDuration(run.spent.totalSeconds)}, planned ${formatDuration(run.plan.plannedSeconds)}`;
    printResult(
      { command: 'calibrate', json: flags.json },
      { run: rounds, record: path, calibration: record, instructions },
      `${calibrationText(record)}\n${steadinessText(instructions)}time: ${time}\nrecord: ${path}, rounds: ${rounds}\n`,
    );
    return 0;
  });
}

function calibrationOfRun(run: RunInRounds, { looks }: RoundProfile): Calibration {
  const { policy } = run.rounds;
  const { compared } = comparedOf(run, policy);
  const rounds = Math.max(1, ...compared.map(({ base }) => base.length));
  return calibration({
    origin: {
      wiregauge: packageFile.version,
      at: run.startedAt,
      runner: run.runner,
      hypervisor: hypervisor(),
      stealShare: stealShareOf(run.samples),
      suite: run.suite.name,
      profile: run.rounds.profile.name,
      secondsPerRound: (run.spent.totalSeconds - (run.spent.countingSeconds ?? 0)) / rounds,
    },
    compared,
    policy,
    looks,
    seed: run.seed,
    draws: DRAWS,
  });
}

export interface PlantFlags extends SelfComparison {
  readonly plant: PlantRecord;
}

/**
 * `wiregauge calibrate --plant`: compares a build with itself and a plant, and writes reports. Exit code 0 if each service regressed by it,
 * 1 if not, 2 if it could not be measured, or not in rounds enough.
 */
export async function plantSlowdown(flags: PlantFlags): Promise<CommandEnd> {
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    const run = await comparedWithItself({ ...flags, counts: false }, signal);
    const { result } = judgedRun(run);
    written = await writeReports(judgedByItself({ run, against: undefined }), flags.out);
    const results = plantResults(run, result, calibrationFor(run, remarkLog(flags)));
    const [seconds, path] = [run.spent.totalSeconds, join(flags.out, RUN_FILE)];
    printResult(
      { command: 'calibrate', json: flags.json },
      { run: path, plant: { ...flags.plant, seconds, services: results } },
      `${plantText(flags.plant, results)}\ntime: ${formatDuration(seconds)}\nrounds: ${path}\n`,
    );
    return plantExit(results, result.outcome);
  });
  return { exitCode, written };
}

/** Exit code of a plant: 0 if it was detected in every service, 2 if a comparison lacks rounds, else 1. */
export function plantExit(results: readonly PlantResult[], outcome: ComparisonResult['outcome']): number {
  return results.every(({ isFound }) => isFound) ? 0 : outcome === 'incomplete' ? 2 : 1;
}

/** First share of a search: the default threshold of CPU time at a load. */
const FIRST = 0.05;

/**
 * `wiregauge calibrate --plant smallest`: repeats comparisons until the smallest share of CPU time is known that 9 of 10 detect. Exit code 1 if 50%
 * is missed, 2 if a comparison could not be measured.
 */
export async function searchPlant(flags: Omit<SelfComparison, 'plant'>): Promise<number> {
  return await interruptible(async (signal) => {
    const log = remarkLog(flags);
    const runs: RunInRounds[] = [];
    const search = smallestPlant(FIRST, async (cpu) => {
      const run = await comparedWithItself({ ...flags, plant: { cpu }, counts: false }, signal);
      signal.throwIfAborted();
      runs.push(run);
      const isFound = plantResults(run, judgedRun(run).result).every((one) => one.isFound);
      log(`comparison ${runs.length}, ${plantSize({ cpu })}: ${isFound ? 'found' : 'not found'}`);
      return isFound;
    });
    const { smallest, tried } = await search.catch((thrown: unknown) => {
      if (!signal.aborted) {
        throw thrown;
      }
      return { smallest: undefined, tried: [] };
    });
    if (signal.aborted) {
      log(`stopped after ${counted(runs.length, 'comparison')}`);
      return 1;
    }
    const estimate = estimateFor(runs.at(-1), log);
    const seconds = runs.reduce((sum, { spent }) => sum + spent.totalSeconds, 0);
    printResult(
      { command: 'calibrate', json: flags.json },
      { smallest, estimate, tried, seconds },
      `${searchText({ smallest, tried }, estimate)}\ntime: ${formatDuration(seconds)}\n`,
    );
    return smallest === undefined ? 1 : 0;
  });
}

/** Smallest change of CPU time that the last calibration of this machine expects to detect in every service; undefined without one. */
function estimateFor(run: RunInRounds | undefined, log: (line: string) => void): number | undefined {
  if (run === undefined) {
    return undefined;
  }
  const expected = plantResults(run, { answers: [] }, calibrationFor(run, log)).map(({ detectable }) => detectable);
  return expected.includes(undefined) ? undefined : Math.max(...expected.map(Number));
}

function calibrationFor({ runner, suite, rounds }: RunInRounds, log: (line: string) => void) {
  return storedCalibration({ root: process.cwd(), runner, suite: suite.name, profile: rounds.profile.name }, log);
}

export function searchText({ smallest, tried }: PlantSearch, estimate: number | undefined): string {
  const found = smallest === undefined ? 'none up to 50%' : plantSize({ cpu: smallest });
  const expected = estimate === undefined ? '' : `; calibration: from ${plantSize({ cpu: estimate })} on`;
  const lines = tried.map(
    (one) => `  ${plantSize(one)}: found in ${one.found} of ${counted(one.comparisons, 'comparison')}`,
  );
  return [`smallest plant found in 9 of 10 comparisons: ${found}${expected}`, ...lines].join('\n');
}

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

/** Compares a build with itself. Throws the failure if no round of a service was kept. */
async function comparedWithItself(
  flags: Parameters<typeof compareWithItself>[0],
  signal: AbortSignal,
): Promise<RunInRounds> {
  const run = await compareWithItself({ ...flags, adviceFor: routesAdvice }, signal);
  refuseFailed(run);
  return run;
}

/** Throws the last failure of a service without a kept round: more time would not help. */
export function refuseFailed({ rounds: { rounds } }: Pick<RunInRounds, 'rounds'>): void {
  for (const service of new Set(rounds.map((round) => round.service))) {
    const own = rounds.filter((round) => round.service === service);
    const failure = own.findLast(({ outcome }) => outcome === 'failed')?.failure;
    if (failure !== undefined && !own.some(({ outcome }) => outcome === 'kept')) {
      const { message, code, brief = message, printed = '', next } = failure;
      // This version made the run, so it knows the code.
      throw new MeasurementError(message, { code: code as ErrorCode, brief, printed, next });
    }
  }
}
