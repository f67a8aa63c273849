import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { OutputFolder } from '../../host/index.ts';
import {
  interruptible,
  lockMachine,
  mergeBase,
  openProgress,
  outputFolder,
  remarkLog,
  remarkStream,
  versionOf,
} from '../../host/index.ts';
import { type ComparisonResult, type JudgedRun, judgedRun } from '../../judge/index.ts';
import {
  checkBudget,
  durationText,
  keepIn,
  machineOwner,
  measureRounds,
  openVersions,
  ownRecord,
  RUN_FILE,
  type RuntimeChoice,
  readSuites,
  type Share,
  shareOf,
  type VersionFolder,
  versionRecord,
} from '../../measure/index.ts';
import type { RunInRounds } from '../../model/index.ts';
import {
  fewestRounds,
  mostRounds,
  profileNamed,
  type RoundProfile,
  roundSeconds,
  type ShardName,
  shardText,
  tiersOf,
} from '../../model/index.ts';
import { OWN_ROOT, policyFor, takeSecrets } from '../../project/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { exitCodeFor, type FailOn, failingOn } from '../program/options.ts';
import { withLabel } from '../pull-request/label.ts';
import { type Measured, tellReports, type WrittenReports, writeReports } from '../runs/report.ts';
import { storedCalibration } from './calibrate.ts';

export interface CompareFlags {
  readonly base: string;
  /** undefined: the working tree as it is. */
  readonly head?: string | undefined;
  /** Compares with the commit at which `base` and `head` parted. */
  readonly mergeBase?: boolean | undefined;
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  /** Measures only this share of the services; other jobs measure the others. */
  readonly shard?: ShardName | undefined;
  readonly profile: string;
  /** Seconds. */
  readonly budget: number;
  readonly runtime: RuntimeChoice;
  readonly interleave: 'blocks' | 'slots';
  readonly confirmAll?: boolean | undefined;
  readonly policy?: string | undefined;
  readonly failOn?: FailOn | undefined;
  /** "owner/name#12": whose label may accept what regressed. */
  readonly pullRequest?: string | undefined;
  readonly seed?: number | undefined;
  readonly out: string;
  readonly json?: boolean | undefined;
}

/**
 * `wiregauge compare`: base against head in interleaved rounds. Exit code 0 passed, 1 regressed by policy, 2 could not judge, 130
 * after Ctrl-C; what was measured until then is judged and kept. `tell` is given what was written, instead of printing it.
 */
export async function compare(
  flags: CompareFlags,
  tell: (written: WrittenReports) => void = (written) => tellComparison(flags, written),
): Promise<Measured> {
  const profile = profileNamed(flags.profile);
  const output = await outputFolder(flags.out);
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    await using _lock = await lockMachine(machineOwner(), 'wiregauge compare');
    const baseRef = flags.mergeBase === true ? await mergeBase(process.cwd(), flags.base, flags.head) : flags.base;
    await using base = await versionOf(process.cwd(), baseRef, machineOwner());
    await using head = await versionOf(process.cwd(), flags.head, machineOwner());
    const share = shareOf(readSuites({ base, head }, flags.suite, flags.services), flags);
    const secrets = takeSecrets([...share.suites.base.secrets, ...share.suites.head.secrets]);
    checkBudget(flags.budget, profile, share.suites.suite);
    const measured = await measure({ flags, profile, base, head, ...share, secrets, output, signal });
    const { run, result: compared } = await asAccepted(judgedRun(measured), flags, output);
    written = await writeReports({ run, against: undefined, compared }, flags.out);
    tell(written);
    return exitCodeOf(compared, flags);
  });
  return { exitCode, written };
}

function tellComparison({ out, json }: CompareFlags, written: WrittenReports): void {
  tellReports({ command: 'compare', json, run: join(out, RUN_FILE) }, written);
}

/** A shard that is told to fail for nothing leaves every outcome to the job that judges all of them. */
function exitCodeOf(compared: ComparisonResult, { shard, failOn }: CompareFlags): number {
  return shard !== undefined && failOn === 'never' ? 0 : exitCodeFor(compared, failOn);
}

/** What the label of the pull request accepts stands in the file, so that the verdict follows from it alone. */
async function asAccepted(judged: JudgedRun, flags: CompareFlags, output: OutputFolder): Promise<JudgedRun> {
  const accepted = await withLabel(judged, flags.pullRequest, remarkLog(flags));
  if (accepted !== judged) {
    await keepIn(output)(accepted.run);
  }
  return accepted;
}

interface Job extends Share {
  readonly flags: CompareFlags;
  readonly profile: RoundProfile;
  readonly base: VersionFolder;
  readonly head: VersionFolder;
  readonly secrets: Secrets;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

async function measure(job: Job): Promise<RunInRounds> {
  const { flags, profile, base, head, suites, shards, secrets, output, signal } = job;
  const progress = openProgress(remarkStream(flags));
  try {
    const policy = failingOn(policyFor(head.root, suites.suite, flags.policy), flags.failOn);
    const log = (line: string): void => progress.line(line);
    progress.chapter(`Build ${base.ref} (base) and ${head.ref} (head)`);
    log(planLine(job));
    suites.head.leftOut?.forEach(log);
    const folders = { base, head };
    const opening = { folders, suites, choice: flags.runtime, ownRoot: OWN_ROOT, lookups: secrets.lookups, signal };
    await using versions = await openVersions(opening, log);
    const { runner } = versions.head.runtime;
    const wanted = { root: process.cwd(), runner, suite: suites.suite.name, profile: profile.name };
    return await measureRounds({
      suites,
      prepared: versions,
      records: {
        base: ownRecord(versionRecord(base, suites.base, flags.services), shards),
        head: ownRecord(versionRecord(head, suites.head, flags.services), shards),
      },
      profile,
      interleave: flags.interleave,
      policy,
      seed: flags.seed ?? randomInt(1, 2 ** 31),
      budgetSeconds: flags.budget,
      stopsEarly: flags.confirmAll !== true,
      calibration: storedCalibration(wanted, log),
      shards,
      secrets,
      progress,
      keep: keepIn(output),
      signal,
    });
  } finally {
    progress.finish();
  }
}

function planLine({ flags, profile, base, head, suites, shards }: Job): string {
  const { suite } = suites;
  const share = shards?.kind === 'shard' ? `shard ${shardText(shards)}: ` : '';
  const seconds = roundSeconds(profile, suite);
  const [fewest, most] = [fewestRounds(profile), mostRounds(profile)];
  const affordable = Math.min(most, Math.floor(flags.budget / seconds));
  const slots =
    flags.interleave === 'slots' ? '; one version after the other, which wants about seven times the rounds' : '';
  return (
    `plan: ${base.ref} against ${head.ref}; ${share}${suite.services.join(', ') || 'nothing that both have'}; saturation and ${tiersOf(profile, suite).length} tiers; ` +
    `${fewest} to ${most} rounds of about ${durationText(seconds)}, so from ${durationText(fewest * seconds)} on; ` +
    `the budget of ${durationText(flags.budget)} allows ${affordable} (profile ${profile.name}${slots})`
  );
}
