import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { protocolClient } from '../adapters/client.ts';
import { systemClock } from '../adapters/clock.ts';
import { readCommit } from '../adapters/git.ts';
import { lockMachine } from '../adapters/machine-lock.ts';
import { outputFolder } from '../adapters/output-folder.ts';
import { openProgress } from '../adapters/progress.ts';
import { RUN_FILE } from '../app/benchmark.ts';
import { verify } from '../app/verify.ts';
import { ConfigError } from '../core/errors.ts';
import { FEWEST_ROUNDS } from '../core/inference/rank-scores.ts';
import { fewestRounds, roundSeconds } from '../core/rounds/length.ts';
import type { RoundProfile } from '../core/rounds/profile.ts';
import type { RoundsRecord } from '../core/run-rounds.ts';
import type { Service } from '../core/service.ts';
import { judgeRun } from '../core/verdict/judge.ts';
import type { RunInRounds } from '../core/verdict/kept-cells.ts';
import { exitCodeOfVersus, pairingsOf } from '../core/versus.ts';
import { checkBudget, durationText } from './budget.ts';
import { OWN_ROOT } from './own-root.ts';
import { policyFor } from './policy.ts';
import { profileNamed } from './profile.ts';
import { tellReports, writeReports } from './report.ts';
import { remarkStream } from './result.ts';
import { measureRounds } from './rounds-session.ts';
import { machineOwner, openRuntime, type RuntimeChoice } from './runtime.ts';
import { takeSecrets } from './secrets.ts';
import { interruptible } from './signals.ts';
import { readSuite, type SuiteFiles, suiteRoot } from './suite.ts';

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
    const files = readSuite(root, flags.suite, names);
    const named = profileNamed(flags.profile);
    const profile = { ...named, looks: [{ rounds: flags.rounds ?? fewestRounds(named), spent: 1 }] };
    const run = await measure({ flags, profile, files, signal });
    const compared = judgeRun(run);
    const written = await writeReports({ run, against: undefined, compared }, flags.out);
    const telling = { command: 'versus', json: flags.json, run: join(flags.out, RUN_FILE) };
    const exitCode = exitCodeOfVersus(compared);
    // Nothing passes or regresses: whoever is better is no matter of policy.
    const beside = { outcome: undefined, exitCode, pairings: pairingsOf(compared) };
    tellReports({ ...telling, beside }, written);
    return exitCode;
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
  const { reference, others } = sidesOf(files);
  const suites = { suite: others.suite, base: reference, head: others };
  checkBudget(flags.budget, profile, suites.suite);
  const secrets = takeSecrets(files.secrets);
  const progress = openProgress(remarkStream(flags));
  const log = (line: string): void => progress.line(line);
  try {
    log(planLine(files, profile));
    const built = [...files.services.values()];
    const opening = { choice: flags.runtime, root: files.root, ownRoot: OWN_ROOT, services: built, needsDriver: true };
    const prepared = await openRuntime({ ...opening, lookups: secrets.lookups, signal, log });
    await using runtime = prepared.runtime;
    const client = protocolClient(secrets);
    await verify({
      suite: files.suite,
      services: files.services,
      runtime,
      client,
      clock: systemClock,
      progress,
      signal,
    });
    const record = await recordOf(files, others);
    return await measureRounds({
      suites,
      prepared: { base: prepared, head: prepared },
      records: { base: record, head: record },
      profile,
      interleave: 'blocks',
      policy: policyFor(files.root, suites.suite, undefined),
      seed: flags.seed ?? randomInt(1, 2 ** 31),
      budgetSeconds: flags.budget,
      stopsEarly: false,
      versus: { reference: files.suite.services[0] ?? '' },
      secrets,
      progress,
      output: await outputFolder(flags.out),
      signal,
    });
  } finally {
    progress.finish();
  }
}

function planLine({ suite }: SuiteFiles, profile: RoundProfile): string {
  const [reference = '', ...others] = suite.services;
  const seconds = fewestRounds(profile) * roundSeconds(profile, { ...suite, services: others });
  return `plan: ${others.join(', ')} against ${reference}, ${fewestRounds(profile)} rounds, about ${durationText(seconds)}`;
}

/** Both sides are of the working tree as it is. */
async function recordOf({ root, suite, configHash }: SuiteFiles, others: SuiteFiles): Promise<RoundsRecord['base']> {
  const { head: commit, dirty } = await readCommit(root);
  return {
    ref: 'working tree',
    ...(commit !== undefined && { commit }),
    dirty,
    configHash,
    services: others.suite.services,
    operations: suite.operations.map(({ name }) => name),
  };
}

/** The reference takes the place of the base of every other service, under its name: so samples of both are of one cell. */
function sidesOf(files: SuiteFiles): { readonly reference: SuiteFiles; readonly others: SuiteFiles } {
  const [first = '', ...names] = files.suite.services;
  const reference = files.services.get(first) as Service;
  const suite = { ...files.suite, services: names };
  return {
    reference: { ...files, suite, services: new Map(names.map((name) => [name, { ...reference, name }])) },
    others: { ...files, suite },
  };
}
