import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../foundation/index.ts';
import { outputFolder, readText } from '../../host/index.ts';
import {
  type Calibration,
  formatCalibration,
  parseCalibration,
  type RunnerFingerprint,
  runnerClass,
} from '../../model/index.ts';

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
 * The record of an earlier calibration in the root; undefined if there is none of this machine, suite and profile. One that
 * cannot be read is told and passed over, since a comparison does not depend on it.
 */
export function storedCalibration(wanted: Calibrated, log: (line: string) => void): Calibration | undefined {
  const path = join(wanted.root, FOLDER, CALIBRATION_FILE);
  if (!existsSync(path)) {
    return undefined;
  }
  try {
    const record = parseCalibration(readText(path, 'Run `wiregauge calibrate` again to recreate it.'), path);
    return isOf(record, wanted) ? record : undefined;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    log(`calibration ignored: ${thrown.message}`);
    return undefined;
  }
}

function isOf(record: Calibration, { runner, suite, profile }: Calibrated): boolean {
  const sameMachine = record.runner.cpuModel === runner.cpuModel && runnerClass(record.runner) === runnerClass(runner);
  return sameMachine && record.suite === suite && record.profile === profile;
}
