import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { OutputFolder } from '../../host/index.ts';
import { interruptible, mergeBase, remarkLog, requireCommits, usualBase, versionOf } from '../../host/index.ts';
import { anchoredPolicy, type ComparisonResult, type JudgedRun, judgedRun } from '../../judge/index.ts';
import {
  type AloneFlags,
  aloneOnMachine,
  checkBudget,
  expectedPlace,
  keepIn,
  machineOwner,
  measureComparison,
  namingNoFolder,
  RUN_FILE,
  type RuntimeChoice,
  readSuites,
  shareOf,
} from '../../measure/index.ts';
import {
  type AnchorRecord,
  anchoredProfile,
  compareProfile,
  type Policy,
  type RunInRounds,
  type ShardName,
} from '../../model/index.ts';
import { policyFor, readSuite, takeSecrets, withCheckedContracts } from '../../project/index.ts';
import { routesAdvice } from '../init/routes/told-routes.ts';
import type { CommandFile } from '../program/command.ts';
import {
  BUDGET_BY_PROFILE,
  budgetOption,
  budgetSecondsOf,
  commaSeparated,
  compareProfileOption,
  exitCodeFor,
  FAIL_ON,
  type FailOn,
  failingOn,
  JSON_OPTION,
  PROFILE_HELP,
  runtimeOption,
  SUITE_HELP,
  shardOf,
  VERBOSE_OPTION,
  waitOption,
  wholeNumber,
} from '../program/options.ts';
import { withLabel } from '../pull-request/label.ts';
import { storedCountsOf, storedTrendOf } from '../runs/against.ts';
import { measuredInto, outputOfRun, writeMeasured } from '../runs/previous.ts';
import { type CommandEnd, tellOutcome, type WrittenReports } from '../runs/report.ts';
import { againstAnchor, linksTo, requiredAnchor } from './anchored.ts';

/** The command line of `wiregauge compare`. */
export const compareCommand: CommandFile = {
  group: 'Measure:',
  examples: {
    compare: [
      ['compare', 'the working tree against its merge base with the default branch'],
      ['compare --base main', 'the working tree against main'],
      ['compare --base v1.2.0 --head HEAD --profile quick', 'two commits, quickly'],
      ['compare --base main --profile instructions', 'count instructions per request instead of measuring time'],
      ['compare --base main --services rest --budget 20m --json', 'one service with a long budget, as JSON'],
      ['compare --anchor --head HEAD', 'how far HEAD is from the latest release, or the pinned commit'],
    ],
  },
  make: (end) => {
    return withVersions(new Command('compare'))
      .description('Compare two versions in interleaved rounds, and judge what got slower')
      .option('--suite <name>', SUITE_HELP)
      .option('--services <names>', "some of the suite's services", commaSeparated)
      .option('--shard <i/n>', 'measure only shard i of n; `wiregauge merge` combines them', shardOf)
      .addOption(compareProfileOption(PROFILE_HELP))
      .addOption(budgetOption(`start no round that would end after this time; ${BUDGET_BY_PROFILE}`))
      .addOption(runtimeOption())
      .addOption(waitOption())
      .addOption(interleaveOption())
      .option('--confirm-all', 'run all rounds, to find everything that got slower')
      .addOption(profilerOption())
      .option('--policy <file>', 'a policy file (thresholds, budgets), instead of the policy of the suite')
      .addOption(
        new Option('--fail-on <what>', 'what makes the exit code 1; default: set by the policy').choices(FAIL_ON),
      )
      .option(
        '--pull-request <name>',
        'owner/name#12: its label "wiregauge: accepted" accepts what its comment showed (GITHUB_TOKEN)',
      )
      .option('--comment-id <name>', 'the comment that shows what the label accepts', 'wiregauge')
      .option('--seed <n>', 'the random seed; default: random', wholeNumber)
      .option(
        '--stored <where>',
        'where to find stored instruction counts of base, and the drift of the default branch: a file; history, or history:<folder>; none; default: baselines/',
      )
      .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
      .option(...VERBOSE_OPTION)
      .option(...JSON_OPTION)
      .action(async (flags) => end((await compare(flags)).exitCode));
  },
};

function withVersions(command: Command): Command {
  return command
    .option(
      '--base <ref>',
      'the version to compare with: a branch, a tag or a commit; default: the merge base with the default branch',
    )
    .option('--head <ref>', 'the version to judge; default: the working tree')
    .option('--merge-base', 'compare with the merge base, as for a pull request')
    .addOption(
      new Option('--anchor', 'compare with the latest release tag, or the commit pinned by `baseline pin`').conflicts([
        'base',
        'mergeBase',
        'shard',
        'confirmAll',
      ]),
    );
}

export interface CompareFlags extends AloneFlags {
  /** undefined: where head parted from the default branch. */
  readonly base?: string | undefined;
  /** undefined: the working tree as it is. */
  readonly head?: string | undefined;
  /** Compares with the commit at which `base` and `head` parted. */
  readonly mergeBase?: boolean | undefined;
  /** Compares with the anchor of the trend, in the place of `base`. */
  readonly anchor?: boolean | undefined;
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  /** Measures only this share of the services; other jobs measure the others. */
  readonly shard?: ShardName | undefined;
  readonly profile: string;
  /** Seconds. */
  readonly budget?: number | undefined;
  readonly runtime: RuntimeChoice;
  readonly interleave: 'blocks' | 'slots';
  readonly confirmAll?: boolean | undefined;
  /** Whether a profiler looks at what takes more CPU time; undefined: it does. `none`: nor are functions told of counted instructions. */
  readonly profiler?: 'auto' | 'off' | 'none' | undefined;
  /** Whether instructions are counted besides; undefined: they are, if they can be. */
  readonly counts?: boolean | undefined;
  readonly policy?: string | undefined;
  /** Makes another policy of the usual one. */
  readonly changedPolicy?: ((usual: Policy) => Policy) | undefined;
  readonly failOn?: FailOn | undefined;
  /** "owner/name#12": whose label may accept what regressed. */
  readonly pullRequest?: string | undefined;
  /** The id of its comment, which shows what the label accepts. */
  readonly commentId?: string | undefined;
  readonly seed?: number | undefined;
  /** Where counts of base and the drift may be stored, in the place of `baselines/`: a baseline file, "history", "history:PATH" or "none". */
  readonly stored?: string | undefined;
  readonly verbose?: boolean | undefined;
  readonly out: string;
}

/** What is wrong with it is told before anything waits for the machine. */
async function baseOf({ base, head, mergeBase: isParted }: CompareFlags): Promise<string> {
  const folder = process.cwd();
  if (base === undefined) {
    return await usualBase(folder, head);
  }
  if (isParted === true) {
    return await mergeBase(folder, base, head);
  }
  await requireCommits(folder, [base, head ?? 'HEAD']);
  return base;
}

/** The configuration of the head, if that is the working tree. Both versions are read once they are laid out; this is told at once. */
function checkWorkingTree({ head, suite, services, policy }: CompareFlags): void {
  if (head === undefined) {
    const root = process.cwd();
    policyFor(root, withCheckedContracts(readSuite(root, suite, services)).suite, policy);
  }
}

/**
 * `wiregauge compare`: base against head in interleaved rounds. Exit code 0 passed, 1 regressed by policy, 2 could not judge, 130
 * after Ctrl-C; what was measured until then is judged and kept. `tell` is given what was written, instead of printing it.
 */
export async function compare(
  flags: CompareFlags,
  tell: (written: WrittenReports) => void = (written) => tellComparison(flags, written),
): Promise<CommandEnd> {
  const budgetSeconds = budgetSecondsOf(flags);
  compareProfile(flags.profile);
  const start = flags.anchor === true ? await requiredAnchor(flags.head) : await baseOf(flags);
  checkWorkingTree(flags);
  const output = await outputOfRun(flags.out);
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    await using _lock = await aloneOnMachine(flags, { what: 'wiregauge compare', mostSeconds: budgetSeconds, signal });
    const within = { flags, output, signal };
    const measured = await measuredInto(flags, () =>
      typeof start === 'string'
        ? comparisonWith(within, start, undefined)
        : againstAnchor(start, {
            measure: (anchor) => comparisonWith(within, anchor.through?.commit ?? anchor.commit, anchor),
            links: () => linksTo(start, flags),
            log: remarkLog(flags),
          }),
    );
    const { run, result: compared } = await asAccepted(judgedRun(measured), flags, output);
    written = await writeMeasured({ run, against: undefined, compared }, flags.out);
    tell(written);
    return exitCodeOf(compared, flags);
  });
  return { exitCode, written };
}

interface Comparing {
  readonly flags: CompareFlags;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

/** One comparison with a base, which may be an anchor or stand for it. */
async function comparisonWith(
  { flags, output, signal }: Comparing,
  baseRef: string,
  anchor: AnchorRecord | undefined,
): Promise<RunInRounds> {
  const budgetSeconds = budgetSecondsOf(flags);
  const usual = compareProfile(flags.profile);
  const profile = anchor === undefined ? usual : anchoredProfile(usual);
  await using base = await versionOf(process.cwd(), baseRef, machineOwner());
  await using head = await versionOf(process.cwd(), flags.head, machineOwner());
  return await namingNoFolder([base, head], async () => {
    const share = shareOf(readSuites({ base, head }, flags.suite, flags.services), flags);
    const secrets = takeSecrets([...share.suites.base.secrets, ...share.suites.head.secrets]);
    const { suite, head: files } = share.suites;
    checkBudget(budgetSeconds, profile, { suite, place: expectedPlace(flags.runtime, files) });
    const own = failingOn(policyFor(head.root, share.suites.suite, flags.policy), flags.failOn);
    const { wasNamed } = suite;
    const question = { ...flags, suite: suite.name, commit: base.commit, wasNamed };
    const stored = anchor === undefined ? await storedTrendOf(question, remarkLog(flags)) : undefined;
    return await measureComparison({
      ...{ base, head, ...share, profile, secrets, output, signal },
      ...{ services: flags.services, runtime: flags.runtime, interleave: flags.interleave, seed: flags.seed },
      ...{ budgetSeconds, stopsEarly: flags.confirmAll !== true, json: flags.json },
      adviceFor: routesAdvice,
      profiler: flags.profiler ?? 'auto',
      counts: flags.counts,
      policy: anchor === undefined ? (flags.changedPolicy?.(own) ?? own) : anchoredPolicy(own),
      trend: stored?.drift ?? { anchor },
      ...(stored?.noise !== undefined && { storedNoise: stored.noise }),
      storedCounts: async (log) => (base.dirty ? [] : await storedCountsOf(question, log)),
    });
  });
}

function tellComparison({ out, json, verbose }: CompareFlags, written: WrittenReports): void {
  tellOutcome({ command: 'compare', json, verbose, run: join(out, RUN_FILE) }, written);
}

/** A shard that is told to fail for nothing leaves every outcome to the job that judges all of them. */
function exitCodeOf(compared: ComparisonResult, { shard, failOn }: CompareFlags): number {
  return shard !== undefined && failOn === 'never' ? 0 : exitCodeFor(compared, failOn);
}

/** What the label of the pull request accepts stands in the file, so that the verdict follows from it alone. */
async function asAccepted(judged: JudgedRun, flags: CompareFlags, output: OutputFolder): Promise<JudgedRun> {
  const accepted = await withLabel(judged, flags, remarkLog(flags));
  if (accepted !== judged) {
    await keepIn(output)(accepted.run);
  }
  return accepted;
}

function profilerOption(): Option {
  return new Option('--profiler <when>', 'auto: profile services that take more CPU time; off: never')
    .choices(['auto', 'off'])
    .default('auto');
}

function interleaveOption(): Option {
  return new Option(
    '--interleave <way>',
    'blocks: both versions run side by side; slots: one after the other, for services that cannot',
  )
    .choices(['blocks', 'slots'])
    .default('blocks');
}
