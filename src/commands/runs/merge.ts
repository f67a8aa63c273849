import { basename, dirname, resolve } from 'node:path';
import { ConfigError, KnownError } from '../../foundation/errors.ts';
import { shortCommit } from '../../foundation/text.ts';
import { writeInto } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { filesNamed } from '../../host/files/repository.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { type JudgedRun, judgedRun } from '../../judge/verdict/judge.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { mergeRuns } from '../../model/run/merge.ts';
import { lostShards, shardText } from '../../model/run/rounds.ts';
import { formatRun, type Run, type RunFile } from '../../model/run/run.ts';
import { CAUSE_FILE, parseCause } from '../../report/comment/unjudged.ts';
import type { CompareFlags } from '../measure/compare.ts';
import { exitCodeFor, failingOn } from '../program/options.ts';
import { printResult } from '../program/result.ts';
import { withLabel } from '../pull-request/label.ts';
import { nothingMeasured } from '../pull-request/measured.ts';
import { NOWHERE, withBaseline } from './against.ts';
import { asPlanned, parseShardsPlan } from './plan.ts';
import { PREVIOUS_FOLDER } from './previous.ts';
import { type CommandEnd, printReports, writeReports } from './report.ts';
import { readRunFile } from './run-files.ts';

export interface MergeFlags extends Pick<CompareFlags, 'failOn' | 'pullRequest' | 'commentId' | 'baseline' | 'json'> {
  /** Commit that the shards must have measured; undefined: any. */
  readonly head?: string | undefined;
  /** Text of shards.json, which the shards must follow; without it, their own files give their number and the policy. */
  readonly plan?: string | undefined;
  readonly out: string;
  /** Folder with more files to merge, in subfolders. */
  readonly runs?: string | undefined;
  /** Treats an unreadable file as a lost shard. */
  readonly allowLost?: boolean | undefined;
  /** Judges the merged comparison and writes its reports next to the file. */
  readonly judge?: boolean | undefined;
}

/**
 * `wiregauge shards merge`: merges shards of a comparison, or several plain runs, into one file. Exit code 0, or that of the verdict if it is also
 * judged. Throws ConfigError for files that do not belong together.
 */
export async function merge(given: readonly string[], flags: MergeFlags): Promise<CommandEnd> {
  const { runs, out, json } = flags;
  if (flags.judge !== true && (flags.failOn !== undefined || flags.pullRequest !== undefined)) {
    throw new ConfigError('--fail-on and --pull-request need a verdict, but nothing is judged', {
      code: 'WG-101',
      next: 'Add --judge.',
    });
  }
  const found = (name: string) =>
    (runs === undefined ? [] : filesNamed(name, runs)).filter((file) => basename(dirname(file)) !== PREVIOUS_FOLDER);
  const [cause] = found(CAUSE_FILE).flatMap(
    (file) => parseCause(readText(file, 'Fix its permissions, or remove it.')) ?? [],
  );
  // A file that is both given and found in the folder counts once.
  const known = new Set([...given, out].map((file) => resolve(file)));
  const files = [...given, ...found(RUN_FILE).filter((file) => !known.has(resolve(file)))];
  if (files.length === 0) {
    const where = runs === undefined ? 'no run.json is given' : `${runs} contains no run.json: every shard was lost`;
    throw cause === undefined
      ? new ConfigError(`there is nothing to merge: ${where}`, {
          code: 'WG-404',
          next: 'Pass the run.json of each shard, or the folder that they were downloaded to with --runs (in the action: `args: --runs <folder>`).',
        })
      : nothingMeasured(cause);
  }
  const merged = checked(mergeRuns(readAll(files, flags)), flags);
  const judged = flags.judge === true ? await asJudged(merged, flags) : undefined;
  if (judged?.result.exitCode === 0 && cause !== undefined) {
    // A job that failed halfway must not pass for the part that it did not reach.
    throw nothingMeasured(cause);
  }
  const run = judged?.run ?? merged;
  const path = await writeInto(dirname(out), basename(out), formatRun(run));
  const said = `merged ${sizeText(run)}, ${run.samples.length} samples: ${path}`;
  if (judged !== undefined) {
    remarkLog(flags)(said);
    const written = await writeReports({ run: judged.run, against: undefined, compared: judged.result }, dirname(out));
    printReports({ command: 'shards merge', json, run: path, further: mergedData(run) }, written);
    return { exitCode: exitCodeFor(judged.result, flags.failOn), written };
  }
  printResult({ command: 'shards merge', json }, { run: path, ...mergedData(run) }, `${said}\n`);
  return { exitCode: 0 };
}

/** Merged shards, checked against their plan and the expected commit, on which a verdict would be written. */
function checked(run: Run, { head, plan }: MergeFlags): Run {
  const measured = run.rounds?.head.commit ?? 'none';
  if (head !== undefined && measured !== head) {
    throw new ConfigError(
      `the shards measured the commit ${shortCommit(measured)}, and the head of this pull request is ${shortCommit(head)}`,
      { code: 'WG-404', next: 'Merge the artifacts of the same workflow run.' },
    );
  }
  return plan === undefined ? run : asPlanned(run, parseShardsPlan(plan));
}

function readAll(files: readonly string[], flags: MergeFlags): readonly [RunFile, ...RunFile[]] {
  const damaged: KnownError[] = [];
  const read = files.flatMap((file): readonly RunFile[] => {
    try {
      return [{ file, run: readRunFile(file) }];
    } catch (thrown) {
      if (flags.allowLost !== true || !(thrown instanceof KnownError)) {
        throw thrown;
      }
      damaged.push(thrown);
      return [];
    }
  });
  const [first, ...others] = read;
  const [worst] = damaged;
  // Only shards record how many there are, so only a shard can be lost.
  if (first === undefined || (worst !== undefined && read.some(({ run }) => run.rounds?.shards === undefined))) {
    throw worst ?? new ConfigError('there is nothing to merge', { code: 'WG-404' });
  }
  for (const { message } of damaged) {
    remarkLog(flags)(`lost, because it cannot be read: ${message}`);
  }
  return [first, ...others];
}

/** Judged run. Policy and accepted changes are in the file, so the verdict follows from it alone. */
async function asJudged(run: Run, flags: MergeFlags): Promise<JudgedRun> {
  const { rounds } = run;
  if (rounds === undefined) {
    throw new ConfigError('--judge is for shards of a comparison, but these runs compared nothing', {
      code: 'WG-407',
      next: 'Use `wiregauge report` for a merged run of this kind.',
    });
  }
  const policy = failingOn(rounds.policy, flags.failOn);
  const log = remarkLog(flags);
  const { run: reported } = await withBaseline(
    { ...run, rounds: { ...rounds, policy } },
    flags.baseline ?? NOWHERE,
    log,
  );
  return await withLabel(judgedRun(reported), flags, log);
}

function mergedData({ samples, rounds }: Run): object {
  const shards = rounds?.shards;
  const isMerged = shards?.kind === 'merged';
  return {
    merged: {
      samples: samples.length,
      ...(isMerged && { shards: shards.of, measured: shards.measured.length, lost: lostShards(shards).map(shardText) }),
    },
  };
}

function sizeText({ rounds }: Run): string {
  const shards = rounds?.shards;
  if (shards?.kind !== 'merged') {
    return 'plain runs';
  }
  const lost = lostShards(shards).map((one) => `${shardText(one)} (${one.services.join(', ')})`);
  const missing = lost.length === 0 ? '' : `; LOST: ${lost.join(', ')}`;
  return `${shards.measured.length} of ${shards.of} shards${missing}`;
}
