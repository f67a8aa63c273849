import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { commitOf, outputFolder, readText } from '../../host/index.ts';
import { appendRun, type Baseline, formatBaseline, parseBaseline } from '../../judge/index.ts';
import type { Run } from '../../model/index.ts';
import { runnerClass } from '../../model/index.ts';
import { ANCHOR_FILE, pinAnchor } from '../../project/index.ts';
import type { CommandFile } from '../program/command.ts';
import { JSON_OPTION } from '../program/options.ts';
import { tellResult } from '../program/result.ts';
import { readRunFile, refuseVersus } from '../runs/run-files.ts';

/** The command line of `wiregauge baseline`. */
export const baselineCommand: CommandFile = {
  group: 'Store runs:',
  examples: {
    baseline: [['baseline update out/run.json --note "quiet machine"', 'store a run as a baseline']],
    'baseline pin': [['baseline pin v1.4.0', 'compare pushes to the default branch with it, until another is pinned']],
    'baseline update': [
      ['baseline update out/run.json --note "quiet machine"', 'add a run of the same kind of machine'],
    ],
  },
  make: (end) => {
    // Before its own command is made: it takes over what it has then.
    const baseline = new Command('baseline').exitOverride().showSuggestionAfterError();
    baseline
      .description('Store runs as baselines, or pin the anchor of the trend, in files of the repository')
      .helpCommand(false);
    baseline
      .command('update')
      .description('Store a run as the baseline of its suite and runner class')
      .argument('[run.json]', 'the run', 'out/run.json')
      .option('--folder <folder>', 'where baselines are kept', 'baselines')
      .option('--note <text>', 'a note for the reviewer', 'no note')
      .option(...JSON_OPTION)
      .action(async (file: string, flags) => end(await updateBaseline(file, flags)));
    baseline
      .command('pin')
      .description(`Pin the commit that the trend is anchored to, in ${ANCHOR_FILE}`)
      .argument('<ref>', 'a tag, a branch or a commit')
      .option(...JSON_OPTION)
      .action(async (ref: string, flags) => end(await pinBaseline(ref, flags)));
    return baseline;
  },
};

/** `wiregauge baseline pin`: pushes to the default branch are compared with this commit from now on. Throws as git does for no commit. */
export async function pinBaseline(ref: string, { json }: Pick<BaselineFlags, 'json'>): Promise<number> {
  const commit = await commitOf(process.cwd(), ref);
  const isNamed = commit.startsWith(ref) || !/^[\w.@/-]{1,100}$/.test(ref) || ref === 'HEAD';
  const name = isNamed ? commit.slice(0, SHORT_COMMIT) : ref;
  await pinAnchor(process.cwd(), { name, commit });
  tellResult(
    { command: 'baseline pin', json },
    {
      text: () => `anchor: ${name}, commit ${commit}, in ${ANCHOR_FILE}: commit this file\n`,
      data: () => ({ file: ANCHOR_FILE, name, commit }),
    },
  );
  return 0;
}

const SHORT_COMMIT = 10;

export interface BaselineFlags {
  readonly folder: string;
  readonly note: string;
  readonly json?: boolean;
}

/** `wiregauge baseline update`: a complete run joins the stored runs of its suite and runner class. */
export async function updateBaseline(file: string, flags: BaselineFlags): Promise<number> {
  const telling = { command: 'baseline update', json: flags.json };
  const run = readRunFile(file);
  refuseVersus(run, file);
  const path = join(flags.folder, run.suite.name, `${runnerClass(run.runner)}.json`);
  const before = readBaseline(path, run);
  const after = appendRun(before, { run, file, note: flags.note });
  if (after === before) {
    tellResult(telling, {
      text: () => `baseline: ${path} already has this run\n`,
      data: () => ({ file: path, outcome: 'unchanged', runs: after.runs.length, suspicious: [] }),
    });
    return 0;
  }
  const folder = await outputFolder(join(flags.folder, run.suite.name));
  await folder.write(`${runnerClass(run.runner)}.json`, formatBaseline(after));
  const added = after.runs.find(({ startedAt }) => startedAt === run.startedAt);
  const flagged = added?.suspicious ?? [];
  const warning =
    flagged.length === 0
      ? ''
      : `; suspicious, so later runs are not compared with it unless it starts a new level: ${flagged.join(', ')}`;
  tellResult(telling, {
    text: () => `baseline: ${path}, stored runs: ${after.runs.length}${warning}\n`,
    data: () => ({ file: path, outcome: 'stored', runs: after.runs.length, suspicious: flagged }),
  });
  return 0;
}

/** Only a file that is not there is an empty history: one that cannot be read must not be overwritten. */
function readBaseline(path: string, run: Run): Baseline {
  if (!existsSync(path)) {
    return { suite: run.suite.name, runnerClass: runnerClass(run.runner), runs: [] };
  }
  return parseBaseline(readText(path, 'Check its permissions.'), path);
}
