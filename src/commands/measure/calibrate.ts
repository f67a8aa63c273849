import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { formatDuration } from '../../foundation/numbers.ts';
import { outputFolder } from '../../host/files/output.ts';
import { hypervisor } from '../../host/machine/machine.ts';
import { interruptible } from '../../host/signals.ts';
import { calibrationOfRounds as calibration } from '../../judge/calibration/calibrate.ts';
import { countedSteadiness } from '../../judge/counts/counted.ts';
import { comparedOf } from '../../judge/verdict/compared.ts';
import { stealShareOf } from '../../measure/plans/round.ts';
import { CALIBRATION_FILE, writeCalibration } from '../../measure/session/calibration.ts';
import type { SelfComparison } from '../../measure/session/one-build.ts';
import { profileNamed } from '../../model/profiles.ts';
import type { RoundProfile } from '../../model/rounds.ts';
import { type Calibration, formatCalibration } from '../../model/run/calibration.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { calibrationText, steadinessText } from '../../report/stored/calibration.ts';
import { printResult } from '../program/result.ts';
import { comparedWithItself } from './plant.ts';

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
    await (await outputFolder(flags.out)).write(CALIBRATION_FILE, formatCalibration(record));
    const rounds = join(flags.out, 'run.json');
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
