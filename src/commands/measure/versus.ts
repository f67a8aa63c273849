import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '../../foundation/index.ts';
import { interruptible, lockMachine, outputFolder, systemClock } from '../../host/index.ts';
import { exitCodeOfVersus, FEWEST_ROUNDS, judgeRun } from '../../judge/index.ts';
import {
  checkBudget,
  durationText,
  keepIn,
  machineOwner,
  measureOneBuild,
  type OneBuild,
  RUN_FILE,
  type RuntimeChoice,
  verify,
  versusSides,
} from '../../measure/index.ts';
import type { RoundProfile, RunInRounds } from '../../model/index.ts';
import { fewestRounds, mostRounds, pairedSeconds, profileNamed } from '../../model/index.ts';
import {
  OWN_ROOT,
  readSuite,
  type SuiteFiles,
  suiteRoot,
  takeSecrets,
  withCheckedContracts,
} from '../../project/index.ts';
import { protocolClient } from '../../protocols/index.ts';
import { tellReports, writeReports } from '../runs/report.ts';

export interface VersusFlags {
  readonly suite?: string;
  readonly profile: string;
  /** Rounds of each service with the reference; undefined: the fewest of the profile. */
  readonly rounds?: number;
  /** Seconds. */
  readonly budget: number;
  readonly runtime: RuntimeChoice;
  readonly seed?: number;
  readonly out: string;
  readonly json?: boolean;
}

/**
 * `wiregauge versus <reference> <other...>`: services that answer the same operations, each in rounds that alternate with the
 * reference. Exit code 0 whoever is better, 2 where nothing could be compared, 130 after Ctrl-C.
 */
export async function versus(names: readonly string[], flags: VersusFlags): Promise<number> {
  checkNames(names);
  checkRounds(flags.rounds);
  return await interruptible(async (signal) => {
    await using _lock = await lockMachine(machineOwner(), 'wiregauge versus');
    const root = suiteRoot(process.cwd(), OWN_ROOT);
    const files = withCheckedContracts(readSuite(root, flags.suite, names));
    const named = profileNamed(flags.profile);
    const profile = { ...named, looks: [{ rounds: flags.rounds ?? fewestRounds(named), spent: 1 }] };
    const run = await measure({ flags, profile, files, signal });
    const compared = judgeRun(run);
    const written = await writeReports({ run, against: undefined, compared }, flags.out);
    tellReports({ command: 'versus', json: flags.json, run: join(flags.out, RUN_FILE) }, written);
    return exitCodeOfVersus(compared);
  });
}

function checkNames(names: readonly string[]): void {
  if (names.length < 2 || new Set(names).size < names.length) {
    throw new ConfigError('versus wants two services or more, each named once', {
      next: 'Name the reference first, like `wiregauge versus rest grpc`.',
    });
  }
}

function checkRounds(rounds: number | undefined): void {
  if (rounds !== undefined && rounds < FEWEST_ROUNDS) {
    throw new ConfigError(`--rounds ${rounds}: nothing can be told from fewer than ${FEWEST_ROUNDS} rounds`, {
      next: `Give ${FEWEST_ROUNDS} or more, or leave it out.`,
    });
  }
}

interface Job {
  readonly flags: VersusFlags;
  readonly profile: RoundProfile;
  readonly files: SuiteFiles;
  readonly signal: AbortSignal;
}

async function measure({ flags, profile, files, signal }: Job): Promise<RunInRounds> {
  const sides = await versusSides(files);
  checkBudget(flags.budget, profile, sides.suites.suite);
  const secrets = takeSecrets(files.secrets);
  const build: OneBuild = {
    ...sides,
    profile,
    seed: flags.seed ?? randomInt(1, 2 ** 31),
    budgetSeconds: flags.budget,
    secrets,
    keep: keepIn(await outputFolder(flags.out)),
    signal,
  };
  const { suite, services } = files;
  const asking = { suite, services, client: protocolClient(secrets), clock: systemClock, signal };
  return await measureOneBuild(build, {
    runtime: flags.runtime,
    json: flags.json,
    planLine: planLine(files, profile),
    check: (runtime, progress) => verify({ ...asking, runtime, progress }),
  });
}

function planLine({ suite }: SuiteFiles, profile: RoundProfile): string {
  const [reference = '', ...others] = suite.services;
  const seconds = pairedSeconds(profile, suite);
  return `plan: ${others.join(', ')} against ${reference}, ${mostRounds(profile)} rounds, about ${durationText(seconds)}`;
}
