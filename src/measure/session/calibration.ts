import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { writeInto } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { expectedRounds } from '../../judge/calibration/calibrate.ts';
import { ALL_OPERATIONS, SATURATION } from '../../model/metric.ts';
import { countingSeconds } from '../../model/profiles.ts';
import { roundSeconds, tiersOf } from '../../model/rounds.ts';
import {
  type Calibration,
  formatCalibration,
  type KnownNoise,
  type NoisePlace,
  parseCalibration,
} from '../../model/run/calibration.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import { type RunnerFingerprint, runnerClass } from '../../model/runner.ts';
import type { Place } from '../../model/service.ts';
import type { RoundBench } from '../trial/versions.ts';
import { lengthWords } from './plan-line.ts';

const FOLDER = '.wiregauge';

export const CALIBRATION_FILE = 'calibration.json';

export async function writeCalibration(root: string, record: Calibration): Promise<string> {
  return await writeInto(join(root, FOLDER), CALIBRATION_FILE, formatCalibration(record));
}

/** Earlier calibration of this machine, suite and profile in the root; an unreadable one is logged and ignored. */
export function storedCalibration(
  { root, runner, suite, profile }: Pick<Calibration, 'runner' | 'suite' | 'profile'> & { readonly root: string },
  log: (line: string) => void,
): Calibration | undefined {
  const path = join(root, FOLDER, CALIBRATION_FILE);
  if (!existsSync(path)) {
    return undefined;
  }
  try {
    const record = parseCalibration(readText(path, 'Run `wiregauge calibrate` again to recreate it.'), path);
    const sameMachine =
      record.runner.cpuModel === runner.cpuModel && runnerClass(record.runner) === runnerClass(runner);
    return sameMachine && record.suite === suite && record.profile === profile ? record : undefined;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    log(`calibration ignored: ${thrown.message}`);
    return undefined;
  }
}

interface Expecting
  extends Pick<RoundBench, 'suite' | 'profile' | 'budgetSeconds' | 'interleave' | 'stopsEarly'>,
    Pick<RoundsRecord, 'policy' | 'calibration'> {
  readonly place: Place;
  readonly runner: RunnerFingerprint;
  readonly isCounted: boolean;
  readonly storedNoise?: ((place: NoisePlace) => KnownNoise | undefined) | undefined;
}

/** Logs the expected duration of an unchanged comparison, if the noise of this kind of machine is known and may end it early. */
export function logExpected(expecting: Expecting, log: (line: string) => void): void {
  const { suite, profile, policy, budgetSeconds, place, runner, interleave, calibration, isCounted } = expecting;
  const { services } = suite;
  if (!expecting.stopsEarly || profile.looks.length < 2) {
    return;
  }
  const on = { runner, runtime: place.runtime, profile: profile.name, interleave };
  const known = calibration === undefined ? expecting.storedNoise?.(on) : noiseOf(calibration);
  const tiers = [SATURATION, ...tiersOf(profile, suite).map(({ name }) => name)];
  const requested = { suite: suite.name, services, tiers, policy, looks: profile.looks };
  const rounds = known && expectedRounds(known.rows, requested);
  if (known !== undefined && rounds !== undefined) {
    const seconds = [...rounds].reduce(
      (sum, [service, count]) => sum + count * roundSeconds(profile, { ...suite, services: [service] }, place),
      isCounted ? countingSeconds(suite) : 0,
    );
    const each = [...rounds].map(([service, count]) => `${count} of ${service}`);
    log(
      `expected: ${lengthWords(seconds, budgetSeconds)} if nothing changed (rounds: ${wordList(each)}), by the noise of ${known.source}`,
    );
  }
}

function noiseOf({ at, comparisons }: Calibration): KnownNoise {
  const whole = comparisons.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const rows = whole.map(({ cell: { service, tier }, metric, sd }) => ({ service, tier, metric, sd }));
  return { rows, source: `the calibration of ${at.slice(0, 10)}` };
}
