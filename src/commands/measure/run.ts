import { randomInt } from 'node:crypto';
import { basename, join } from 'node:path';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { plainText, shortCommit, wordList } from '../../foundation/text.ts';
import { readAnyOutput } from '../../history/adapters/adapters.ts';
import { readText } from '../../host/files/reader.ts';
import { watchOthers } from '../../host/machine/proc.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { countBudgets } from '../../judge/counts/need-calls.ts';
import { soakTrends } from '../../judge/counts/soak.ts';
import { failingCells } from '../../judge/stored/cells.ts';
import { suspicionsOf } from '../../judge/stored/comparison.ts';
import { exitCodeOfVersus } from '../../judge/study/versus.ts';
import { planSoak } from '../../measure/plans/soak.ts';
import { measureMainJob } from '../../measure/session/main-job.ts';
import { aloneOnMachine, expectedPlace, type MeasureFlags } from '../../measure/session/runtime.ts';
import { ALL_OPERATIONS, cellName, errorRateText } from '../../model/metric.ts';
import { type Mode, type Plan, plannedSeconds, planRun, SOAK, usualModes } from '../../model/plan.ts';
import type { Policy } from '../../model/policy.ts';
import { mainJobRounds, profileNamed } from '../../model/profiles.ts';
import { mainJobSeconds } from '../../model/rounds.ts';
import type { Run } from '../../model/run/run.ts';
import { excessInFigures, type MicroBenchmarks } from '../../model/sample/micro-benchmark.ts';
import type { Place } from '../../model/service.ts';
import { isRateLimit, RATE_LIMITED } from '../../model/suite/http.ts';
import { inBothRuntimes } from '../../project/both.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { writableRoot } from '../../project/own-root.ts';
import { policyFor, takeSecrets } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { measuredRoot, readSuite, withCheckedContracts } from '../../project/suite.ts';
import { metricWord, valueText } from '../../report/comparison/words.ts';
import { trendText } from '../../report/run/soak.ts';
import { noteText } from '../../report/views/notes.ts';
import { comparedWithStored } from '../runs/against.ts';
import { measuring, type Within } from '../runs/previous.ts';
import { type CommandEnd, judgedByItself, judgmentData, reportOutcome, type WrittenReports } from '../runs/report.ts';
import { compare } from './compare.ts';
import { ALL_STUDIES, runStudies } from './studies.ts';

const CONFIRMATION_SECONDS = 600;

export interface RunFlags extends MeasureFlags {
  readonly mode?: readonly Mode[] | undefined;
  /** Seconds of a soak; undefined: the tiers of the profile. */
  readonly for?: number | undefined;
  /** False: services are not compared with each other in rounds. */
  readonly versus?: boolean | undefined;
  readonly against?: string | undefined;
  /** Action after a suspicion against stored runs: a line in the report, or a comparison in rounds. */
  readonly onSuspicion: 'warn' | 'confirm';
  /** Set: a suspicion alone fails the job. */
  readonly failOn?: 'regression' | undefined;
  /** Files with what benchmark tools printed. */
  readonly benchmarks?: readonly string[] | undefined;
}

/**
 * `wiregauge run`: the main job. Exit code 0; 1 if more requests failed or more queries were sent than the policy permits, if memory grew with
 * `--for`, if a suspicion was confirmed, or by `--fail-on regression`; 2 if something could not be measured; 130 after Ctrl-C.
 */
export async function run(flags: RunFlags, folder = measuredRoot(flags.suite)): Promise<CommandEnd> {
  if (flags.suite === ALL_STUDIES) {
    return { exitCode: await runStudies(flags, folder, measured) };
  }
  const { exitCode, written } = await measured(flags, folder);
  return { exitCode: written === undefined ? exitCode : await end(flags, written, exitCode), written };
}

/** The main job of one suite, with its reports written and not printed. */
async function measured(flags: RunFlags, folder: string): Promise<CommandEnd> {
  const root = await writableRoot(folder);
  const read = withOperations(withCheckedContracts(readSuite(root, flags.suite, flags.services)), flags.operations);
  const files = flags.runtime === 'both' ? inBothRuntimes(read) : read;
  const secrets = takeSecrets(files.secrets);
  const plan = planOf(flags, files);
  const policy = policyFor(files.root, files.suite, undefined);
  const microBenchmarks = flags.benchmarks?.map((path) => {
    const text = readText(path, 'Pass a file with the output of a benchmark tool to --benchmarks.');
    return readMicroBenchmarks({ file: basename(path), text });
  });
  const judge = await comparedWithStored(flags.against, files.suite.name, policy);
  const rounds = flags.versus === false ? undefined : mainJobRounds(plan);
  const { runtime, json, budget: budgetSeconds } = flags;
  const place = expectedPlace(runtime, files);
  checkTrials(plan, place, budgetSeconds);
  const log = remarkLog(flags);
  const measure = async ({ output, signal }: Within) => {
    await using _lock = await aloneOnMachine(flags, {
      what: 'wiregauge run',
      mostSeconds: flags.budget ?? mainJobSeconds(plan, rounds, place),
      signal,
    });
    const busiest = watchOthers();
    const job = { plan, rounds, files, secrets, runtime, budgetSeconds, microBenchmarks, json, output, signal };
    const { run: found, isWhole } = await measureMainJob(job);
    const isHere = found.runtime.name !== 'kubernetes';
    const other = isHere && found.samples.some(({ marks }) => marks.includes('disturbed')) ? busiest() : undefined;
    if (other !== undefined) {
      log(`disturbed by other programs, most of all by ${other}`);
    }
    return { ...judgedByItself(judge(found)), isWhole };
  };
  return await measuring(flags, measure, ({ run: found, compared, isWhole }) => {
    const { answers, notes } = countBudgets(found, policy);
    const failures = [...errorLines(found, policy), ...budgetLines(answers)];
    const growth = growthLines(found);
    for (const line of [...failures, ...notes.flatMap((note) => noteText(note)), ...growth]) {
      log(`\n${line}`);
    }
    const failed = Math.min(1, failures.length + growth.length);
    return isWhole && (compared === undefined || exitCodeOfVersus(compared) === 0) ? failed : 2;
  });
}

const MAX_FAILING = 3;

/** Line on requests that failed more often than the policy permits. */
function errorLines(measured: Run, policy: Policy): readonly string[] {
  const failing = failingCells(measured, policy);
  if (failing.length === 0) {
    return [];
  }
  const names = failing.map(({ cell, errorRate }) => `${cellName(cell)} ${errorRateText(errorRate)}`);
  const next = measured.samples.some(({ failures }) => failures.some(isRateLimit))
    ? RATE_LIMITED
    : 'If that is expected, permit it in the policy: budgets: [{ metric: errors, atMost: <share> }]';
  return [`failed requests: ${wordList(names, MAX_FAILING)}. ${next}`];
}

/** Lines on queries, counts and sizes of builds above a budget of the policy. */
function budgetLines(answers: ReturnType<typeof countBudgets>['answers']): readonly string[] {
  const over = answers.filter(({ fails }) => fails);
  return over.map(({ of: { cell, metric, found, limit } }) => {
    const { service, operation } = cell;
    const place = operation === ALL_OPERATIONS ? service : `${service} ${operation}`;
    return `over budget: ${place}: ${metricWord(metric)} ${valueText(metric, found)}, at most ${valueText(metric, limit)}`;
  });
}

/** Line on memory that grows during a soak. */
function growthLines(measured: Run): readonly string[] {
  const growing = soakTrends(measured).filter(({ grows }) => grows === true);
  const names = growing.map((trend) => `${cellName(trend.cell)} ${trendText(trend)}`);
  const next =
    'Profile its heap, or repeat it for longer: a large cache may still fill, or a collector ran less than five times';
  return names.length === 0 ? [] : [`memory grows: ${names.join(', ')}. ${next}`];
}

/** Reports the run and follows up a suspicion against earlier runs; the one document of `--json` has both. */
async function end(flags: RunFlags, written: WrittenReports, exitCode: number): Promise<number> {
  const options = { command: 'run', ...flags };
  const { against } = written.judgment;
  const isSuspicious = exitCode === 0 && against !== undefined && suspicionsOf(against).length > 0;
  if (!isSuspicious || flags.onSuspicion !== 'confirm') {
    reportOutcome(options, written);
    return isSuspicious && flags.failOn !== undefined ? 1 : exitCode;
  }
  if (flags.json !== true) {
    reportOutcome(options, written);
    return (await confirm(flags, against.confirmationBase)).exitCode;
  }
  const { exitCode: confirmed, written: other } = await confirm(flags, against.confirmationBase, () => undefined);
  const confirmation = { ...(other && { ...judgmentData(other.judgment), reports: other.reports }) };
  reportOutcome({ ...options, further: { confirmation } }, written);
  return confirmed;
}

/** Compares with the newest stored run in which nothing was suspicious: that verdict counts, not the suspicion. */
async function confirm(flags: RunFlags, base: string | undefined, report?: () => void): Promise<CommandEnd> {
  if (base === undefined) {
    throw new ConfigError('the suspicion cannot be confirmed: no unsuspicious stored run has a commit', {
      code: 'WG-406',
      next: 'Compare by hand: wiregauge compare --base <ref>.',
    });
  }
  const { suite, services, operations, runtime, out, json } = flags;
  remarkLog(flags)(`\nconfirming the suspicion: base ${shortCommit(base)} against the working tree`);
  const comparison = {
    ...{ base, suite, services, operations, runtime, json },
    // There is not enough time for the thorough profile.
    profile: flags.profile === 'thorough' ? 'standard' : flags.profile,
    budget: CONFIRMATION_SECONDS,
    interleave: 'blocks',
    out: join(out, 'confirmation'),
    verbose: flags.verbose,
  } as const;
  return await compare(comparison, report);
}

/** Throws ConfigError if there is not enough time for every trial once: only additional rounds can be left out. */
function checkTrials({ trials, profile }: Plan, place: Place, budgetSeconds: number | undefined): void {
  const seconds = plannedSeconds({ trials: trials.filter(({ round }) => round === 1) }, place);
  if (budgetSeconds !== undefined && seconds > budgetSeconds) {
    throw new ConfigError(
      `a budget of ${formatDuration(budgetSeconds)} is too small: running each slot once takes about ${formatDuration(seconds)}`,
      {
        code: 'WG-115',
        next: `Raise --budget, use a shorter ${profile.name === SOAK ? '--for' : '--profile'}, or select fewer services with --services.`,
      },
    );
  }
}

function planOf(flags: RunFlags, { suite }: SuiteFiles): Plan {
  const { for: seconds, mode: modes, seed = randomInt(1, 2 ** 31), runtime } = flags;
  if (seconds !== undefined) {
    return planSoak({ suite, seconds, modes, seed });
  }
  const { trials: named } = profileNamed(flags.profile);
  const profile = { ...named, rounds: flags.rounds ?? named.rounds };
  const usual = runtime === 'both' ? (['open', 'saturate'] as const) : usualModes(suite);
  return planRun({ suite, profile, modes: modes ?? usual, seed });
}

const MAX_NAMED = 1000;

/** The micro-benchmarks in a file, for run.json. Throws ConfigError for a file that no benchmark tool printed. */
export function readMicroBenchmarks({ file, text }: SourceText): MicroBenchmarks {
  const found = readAnyOutput(text);
  const all = typeof found === 'string' ? [] : found.run.figures;
  const figures = all.map(({ repetitions: _repetitions, counts: _counts, ...figure }) => figure);
  const wrong = typeof found === 'string' ? found : excessInFigures(figures);
  if (typeof found === 'string' || wrong !== undefined) {
    throw new ConfigError(`${file}: ${wrong}`, {
      code: 'WG-602',
      next: 'Pass the complete, unchanged output of one of these tools to --benchmarks.',
    });
  }
  const { failures, leftOut } = found.run;
  const unread = leftOut.flatMap(({ name, why, kind }) => (kind === 'unread' ? [{ name, why }] : []));
  return {
    ...{ file: plainText(file, 400), tool: found.tool, figures },
    ...(failures.length > 0 && { failures: failures.slice(0, MAX_NAMED) }),
    ...(unread.length > 0 && { leftOut: unread.slice(0, MAX_NAMED) }),
  };
}
