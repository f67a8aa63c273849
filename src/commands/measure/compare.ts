import { shortCommit } from '../../foundation/text.ts';
import { commitOf } from '../../host/git/commits.ts';
import { mergeBase, mergeBaseOfTip, usualBase } from '../../host/git/repository.ts';
import { baseVersionOf, versionOf } from '../../host/git/worktrees.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { anchoredPolicy } from '../../judge/drift/drift.ts';
import { judgingPolicy } from '../../judge/verdict/base-policy.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { type ComparisonJob, measureComparison, shareOf } from '../../measure/session/comparison.ts';
import { aloneOnMachine, checkBudget, expectedPlace, type MeasureFlags } from '../../measure/session/runtime.ts';
import { readSuites, refuseAdopted } from '../../measure/session/versions/suites.ts';
import { namingNoFolder } from '../../measure/session/versions/words.ts';
import { keepIn } from '../../measure/trial/keep.ts';
import type { Policy } from '../../model/policy.ts';
import { anchoredProfile, compareProfile } from '../../model/profiles.ts';
import type { Side } from '../../model/rounds.ts';
import type { AnchorRecord } from '../../model/run/anchor.ts';
import type { PolicyChangeRecord, ShardName } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { PinnedAnchor } from '../../project/anchor.ts';
import { policyFor, takeSecrets } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { readSuite, withCheckedContracts } from '../../project/suite.ts';
import { budgetSecondsOf, exitCodeFor, type FailOn, failingOn } from '../program/options.ts';
import { withLabel } from '../pull-request/label.ts';
import { NOWHERE, storedCountsOf, storedTrendOf, usualStored, withBaseline } from '../runs/against.ts';
import { measuring, type Within } from '../runs/previous.ts';
import { type CommandEnd, reportOutcome, type WrittenReports } from '../runs/report.ts';
import { againstAnchor, linksTo, requiredAnchor } from './anchored.ts';
import { routesAdvice } from './route-advice.ts';

export interface CompareFlags extends MeasureFlags {
  /** undefined: the merge base of head and the default branch. */
  readonly base?: string | undefined;
  /** undefined: the working tree. */
  readonly head?: string | undefined;
  readonly mergeBase?: boolean | undefined;
  /** For a commit that was the tip of this branch of the remote: compares with the merge base of the two. */
  readonly baseBranch?: string | undefined;
  /** Compares with the anchor of the trend instead of `base`. */
  readonly anchor?: boolean | undefined;
  /** Measures only this share of the services; other jobs measure the others. */
  readonly shard?: ShardName | undefined;
  readonly interleave: 'blocks' | 'slots';
  readonly confirmAll?: boolean | undefined;
  /** Also measures services that run the same files in both versions. */
  readonly always?: boolean | undefined;
  /** When services that take more CPU time are profiled; default: `auto`. `none`: functions of counted instructions are not named either. */
  readonly profiler?: 'auto' | 'off' | 'none' | undefined;
  /** True if instructions are also counted; undefined: if possible. */
  readonly counts?: boolean | undefined;
  readonly policy?: string | undefined;
  /** Changes that a pull request makes to the inputs of its base's workflow. */
  readonly inputChanges?: readonly PolicyChangeRecord[] | undefined;
  readonly changedPolicy?: ((usual: Policy) => Policy) | undefined;
  /** Receives the run once its instructions are counted, while its rounds continue. */
  readonly onCounts?: ComparisonJob['onCounts'];
  readonly failOn?: FailOn | undefined;
  /** "owner/name#12": pull request whose label may accept regressions. */
  readonly pullRequest?: string | undefined;
  /** The id of its comment, which shows what the label accepts. */
  readonly commentId?: string | undefined;
  /** Place of stored runs instead of `history:baselines`: "history", "history:PATH" or "none". */
  readonly against?: string | undefined;
  /** Place of the runs that the head is compared with, if different. */
  readonly baseline?: string | undefined;
}

/**
 * `wiregauge compare`: base against head in interleaved rounds. Exit code 0 passed, 1 regressed by policy, 2 could not judge, 130 after Ctrl-C; the
 * part measured until then is judged and kept. `report` receives the written files instead of printing them.
 */
export async function compare(
  flags: CompareFlags,
  report: (written: WrittenReports) => void = (written) => reportOutcome({ command: 'compare', ...flags }, written),
): Promise<CommandEnd> {
  compareProfile(flags.profile);
  const start = flags.anchor === true ? await requiredAnchor(flags.head) : await baseOf(flags);
  const { shard, operations, failOn } = flags;
  if (flags.head === undefined) {
    // Both versions are read after their checkout; a mistake in the working tree is reported earlier.
    const files = withCheckedContracts(readSuite(process.cwd(), flags.suite, flags.services));
    policyFor(process.cwd(), withOperations(files, operations).suite, flags.policy);
  }
  const measure = async (within: Within) => {
    const measured = await measuredFrom(start, flags, within);
    const { against: stored = usualStored(), baseline = stored } = flags;
    const isWhole = shard === undefined && operations === undefined && flags.anchor !== true;
    const { run: reported, against } = await withBaseline(measured, isWhole ? baseline : NOWHERE, remarkLog(flags));
    // Acceptances by the label are part of the file, so that the verdict follows from it alone.
    const { run, result: compared } = await withLabel(judgedRun(reported), flags, remarkLog(flags));
    if (run !== measured) {
      await keepIn(within.output)(run);
    }
    return { run, against, compared };
  };
  return await measuring(flags, measure, ({ compared }, written) => {
    report(written);
    // A shard never fails by default: the job that merges them judges all.
    return shard !== undefined && failOn === 'never' ? 0 : exitCodeFor(compared, failOn);
  });
}

/** Commit to compare with; mistakes in it are reported before waiting for the machine. */
export async function baseOf({
  base,
  baseBranch: branch,
  head,
  mergeBase: isParted,
  json,
}: Pick<CompareFlags, 'base' | 'baseBranch' | 'head' | 'mergeBase' | 'json'>): Promise<string> {
  const folder = process.cwd();
  if (base === undefined) {
    return await usualBase(folder, head);
  }
  if (branch !== undefined) {
    const { commit, lacksTip } = await mergeBaseOfTip(folder, { tip: base, branch }, head);
    if (lacksTip) {
      const why = `the base commit ${shortCommit(base)} is not in this clone, as after a force-push of ${branch}`;
      remarkLog({ json })(`${why}: comparing with the merge base with origin/${branch}, ${shortCommit(commit)}`);
    }
    return commit;
  }
  if (isParted === true) {
    return await mergeBase(folder, base, head);
  }
  for (const ref of [base, head ?? 'HEAD']) {
    await commitOf(folder, ref);
  }
  return base;
}

/** Measures from a base, which is a ref, or from the anchor of the trend. */
async function measuredFrom(start: string | PinnedAnchor, flags: CompareFlags, within: Within): Promise<RunInRounds> {
  if (typeof start === 'string') {
    // Mistakes in either version are reported before waiting for the machine.
    return await whileLaidOut(flags, { base: start }, async (versions) => {
      await using _lock = await machineFor(flags, within);
      return await comparisonOf(flags, within, versions);
    });
  }
  await using _lock = await machineFor(flags, within);
  const measure = (anchor: AnchorRecord) =>
    whileLaidOut(flags, { base: anchor.through?.commit ?? anchor.commit, anchor }, (versions) =>
      comparisonOf(flags, within, versions),
    );
  return await againstAnchor(start, measure, () => linksTo(start, flags), remarkLog(flags));
}

async function machineFor(flags: CompareFlags, { signal }: Within): Promise<AsyncDisposable> {
  return await aloneOnMachine(flags, { what: 'wiregauge compare', mostSeconds: budgetSecondsOf(flags), signal });
}

/** Both versions of a comparison, laid out and read. */
interface LaidOut
  extends Pick<
    ComparisonJob,
    'base' | 'head' | 'suites' | 'shards' | 'secrets' | 'profile' | 'policy' | 'rules' | 'budgetSeconds'
  > {
  /** Anchor that the base is a version of. */
  readonly anchor?: AnchorRecord | undefined;
}

/** Checks out and reads both versions, which exist until the work ends. Throws KnownError for mistakes in them or in the flags. */
async function whileLaidOut(
  flags: CompareFlags,
  { base: ref, anchor }: { readonly base: string; readonly anchor?: AnchorRecord },
  work: (versions: LaidOut) => Promise<RunInRounds>,
): Promise<RunInRounds> {
  const budgetSeconds = budgetSecondsOf(flags);
  const usual = compareProfile(flags.profile);
  const profile = anchor === undefined ? usual : anchoredProfile(usual);
  await using base = await baseVersionOf(process.cwd(), { base: ref, head: flags.head }, machineOwner());
  await using head = await versionOf(process.cwd(), flags.head, machineOwner());
  return await namingNoFolder([base, head], async () => {
    const suites = readSuites({ base, head }, flags.suite, { ...flags, hasLoadOfHead: anchor !== undefined });
    if (anchor !== undefined) {
      refuseAdopted(suites, base);
    }
    const share = shareOf(suites, flags);
    const secrets = takeSecrets([...share.suites.base.secrets, ...share.suites.head.secrets]);
    const { suite, head: files } = share.suites;
    checkBudget(budgetSeconds, profile, { suite, place: expectedPlace(flags.runtime, files) });
    const { policy: judging, rules } = rulesOf({ base, head }, share.suites, {
      anchor,
      file: flags.policy,
      inputChanges: flags.inputChanges,
    });
    const policy = failingOn(judging, flags.failOn);
    return await work({ base, head, ...share, profile, secrets, policy, rules, budgetSeconds, anchor });
  });
}

/**
 * Policy that judges: that of the base, with the head's stricter limits. It is the head's if the base lacks this configuration, or is a release that
 * anchors the trend. A policy file overrides either. The load of the base applies in any case.
 */
export function rulesOf(
  { base, head }: Readonly<Record<Side, { readonly root: string }>>,
  { base: before, head: now, suite, adopted, otherPolicy, load: ofSuite = [] }: LaidOut['suites'],
  {
    anchor,
    file,
    inputChanges = [],
  }: Pick<CompareFlags, 'inputChanges'> & {
    readonly anchor?: AnchorRecord | undefined;
    readonly file: string | undefined;
  },
): Pick<ComparisonJob, 'policy' | 'rules'> {
  const load = [...inputChanges, ...ofSuite];
  const isOfHead = (adopted !== undefined && otherPolicy === undefined) || anchor !== undefined;
  const suiteBefore = otherPolicy === undefined ? before.suite : { policy: otherPolicy };
  // Read in any case, so that its mistakes are repaired before the merge.
  const own = policyFor(head.root, now.suite, file);
  const judging: Pick<ComparisonJob, 'policy' | 'rules'> =
    isOfHead || file !== undefined
      ? {
          policy: isOfHead ? own : policyFor(base.root, suiteBefore, file),
          ...(file !== undefined && { rules: { file, pending: [], applied: [] } }),
        }
      : judgingPolicy(policyFor(base.root, suiteBefore, undefined), own, suite);
  return load.length === 0 ? judging : { ...judging, rules: { pending: [], applied: [], ...judging.rules, load } };
}

async function comparisonOf(flags: CompareFlags, { output, signal }: Within, versions: LaidOut): Promise<RunInRounds> {
  const { base, suites, anchor, policy } = versions;
  const { name, wasNamed } = suites.suite;
  const place = flags.against ?? usualStored();
  const question = { suite: name, commit: base.commit, stored: place, wasNamed };
  // Stored counts include all operations.
  const isStored = anchor === undefined && flags.operations === undefined;
  const stored = isStored ? await storedTrendOf(question, remarkLog(flags)) : {};
  return await measureComparison({
    ...versions,
    ...{ services: flags.services, runtime: flags.runtime, interleave: flags.interleave, seed: flags.seed },
    ...{ output, signal, json: flags.json, counts: flags.counts, onCounts: flags.onCounts, adviceFor: routesAdvice },
    stopsEarly: flags.confirmAll !== true,
    profiler: flags.profiler ?? 'auto',
    // The ratio to an anchor enters the trend.
    always: flags.always === true || anchor !== undefined,
    policy: anchor === undefined ? (flags.changedPolicy?.(policy) ?? policy) : anchoredPolicy(policy),
    ...stored,
    storedCounts: async (log) => (base.dirty ? [] : await storedCountsOf(question, log)),
  });
}
