import { type CalibrationInput, calibrationOfRounds } from '../../../../src/judge/calibration/calibrate.ts';
import type { Compared } from '../../../../src/judge/verdict/finding.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { Calibration } from '../../../../src/model/run/calibration.ts';

/** What a calibration of these rounds is computed from, on a machine that could exist. */
export function calibrationInput(compared: readonly Compared[], draws = 0): CalibrationInput {
  return {
    origin: {
      wiregauge: '0.1.0',
      at: '2026-11-20T09:30:00.000Z',
      runner: {
        cpuModel: 'Intel(R) Xeon(R) Processor @ 2.60GHz',
        cores: 2,
        memoryMiB: 7960,
        platform: 'linux-x64',
        kernel: '6.18.5',
        node: '20.20.2',
        cgroup: 'v2',
        serviceCore: 0,
        loadCore: 1,
      },
      suite: 'users',
      profile: 'standard',
      secondsPerRound: 22,
    },
    compared,
    policy: DEFAULT_POLICY,
    looks: [
      { rounds: 10, spent: 0.2 },
      { rounds: 15, spent: 0.4 },
      { rounds: 20, spent: 0.7 },
      { rounds: 30, spent: 1 },
    ],
    seed: 1,
    draws,
  };
}

/** The calibration of a machine that measured these rounds. */
export function calibrationOf(compared: readonly Compared[], draws?: number): Calibration {
  return calibrationOfRounds(calibrationInput(compared, draws));
}
