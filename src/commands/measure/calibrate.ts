import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { ConfigError } from '../../foundation/index.ts';
import { interruptible, outputFolder, readText } from '../../host/index.ts';
import { calibrationOfRounds as calibration, comparedOf } from '../../judge/index.ts';
import { compareWithItself, type SelfComparison } from '../../measure/index.ts';
import {
  type Calibration,
  formatCalibration,
  parseCalibration,
  profileNamed,
  type RoundProfile,
  type RunInRounds,
  type RunnerFingerprint,
  runnerClass,
} from '../../model/index.ts';
import { calibrationText } from '../../report/index.ts';
import { tellResult } from '../program/result.ts';

export type CalibrateFlags = SelfComparison;

const DRAWS = 500;

/**
 * `wiregauge calibrate`: compares a build with itself and says what this machine can see. Exit code 0, 2 where it could not be
 * measured, 130 after Ctrl-C; the record is written in any case where there were rounds enough.
 */
export async function calibrate(flags: CalibrateFlags): Promise<number> {
  return await interruptible(async (signal) => {
    const run = await compareWithItself(flags, signal);
    const record = calibrationOfRun(run, profileNamed(flags.profile));
    const path = await writeCalibration(process.cwd(), record);
    // Beside the rounds, too: what a workflow leaves in its checkout is gone after the job.
    await (await outputFolder(flags.out)).write(CALIBRATION_FILE, formatCalibration(record));
    const rounds = join(flags.out, 'run.json');
    tellResult(
      { command: 'calibrate', json: flags.json },
      {
        text: () => `${calibrationText(record)}\nrecord: ${path}, rounds: ${rounds}\n`,
        data: () => ({ run: rounds, record: path, calibration: record }),
      },
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
      suite: run.suite.name,
      profile: run.rounds.profile.name,
      secondsPerRound: run.spent.totalSeconds / rounds,
    },
    compared,
    policy,
    looks,
    seed: run.seed,
    draws: DRAWS,
  });
}

const FOLDER = '.wiregauge';

/** What a calibration record is called, wherever it lies. */
export const CALIBRATION_FILE = 'calibration.json';

/** Leaves the record where later comparisons in the root find it, and gives its path. */
export async function writeCalibration(root: string, record: Calibration): Promise<string> {
  return await (await outputFolder(join(root, FOLDER))).write(CALIBRATION_FILE, formatCalibration(record));
}

/** What a comparison is about to be measured on and with. */
export interface Calibrated {
  /** The folder that the command is run in. */
  readonly root: string;
  readonly runner: RunnerFingerprint;
  readonly suite: string;
  readonly profile: string;
}

/**
 * The record of an earlier calibration in the root; undefined where there is none of this machine, suite and profile. One that
 * cannot be read is told and passed over, since a comparison does not hang on it.
 */
export function storedCalibration(wanted: Calibrated, log: (line: string) => void): Calibration | undefined {
  const path = join(wanted.root, FOLDER, CALIBRATION_FILE);
  if (!existsSync(path)) {
    return undefined;
  }
  try {
    const record = parseCalibration(readText(path, 'Write it anew with `wiregauge calibrate`.'), path);
    return isOf(record, wanted) ? record : undefined;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    log(`calibration passed over: ${thrown.message}`);
    return undefined;
  }
}

function isOf(record: Calibration, { runner, suite, profile }: Calibrated): boolean {
  const sameMachine = record.runner.cpuModel === runner.cpuModel && runnerClass(record.runner) === runnerClass(runner);
  return sameMachine && record.suite === suite && record.profile === profile;
}
