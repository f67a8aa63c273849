import { ConfigError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { historyFolder } from '../../history/folder.ts';
import { publishRun } from '../../history/publish.ts';
import { historyIndex } from '../../history/reader.ts';
import { commitOf } from '../../host/git/commits.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import type { Run } from '../../model/run/run.ts';
import { ANCHOR_FILE, pinAnchor } from '../../project/anchor.ts';
import { printResult } from '../program/result.ts';
import { readRunFile } from '../runs/run-files.ts';
import { publicationOf, requireWhole } from './publish.ts';

/**
 * `wiregauge baseline pin`: makes this commit the anchor that pushes to the default branch are compared with. Throws as git does for an unknown
 * commit.
 */
export async function pinBaseline(ref: string, { json }: Pick<BaselineFlags, 'json'>): Promise<void> {
  const commit = await commitOf(process.cwd(), ref);
  const isNamed = commit.startsWith(ref) || !/^[\w.@/-]{1,100}$/.test(ref) || ref === 'HEAD';
  const name = isNamed ? commit.slice(0, SHORT_COMMIT) : ref;
  await pinAnchor(process.cwd(), { name, commit });
  printResult(
    { command: 'baseline pin', json },
    { file: ANCHOR_FILE, name, commit },
    `anchor: ${name}, commit ${commit}, in ${ANCHOR_FILE}: commit this file\n`,
  );
}

const SHORT_COMMIT = 10;

interface BaselineFlags {
  readonly folder: string;
  readonly allowDirty?: boolean;
  readonly json?: boolean;
}

/** `wiregauge baseline update`: adds a complete run to the history in a folder, once. Throws as `wiregauge publish` does. */
export async function updateBaseline(file: string, flags: BaselineFlags): Promise<void> {
  const run = readRunFile(file);
  refuseUnfinished(run, file);
  const store = historyFolder(flags.folder, remarkLog(flags));
  const publication = await publicationOf(run, store, flags);
  const { outcome, after } = await publishRun(store, publication, '');
  const { verdicts, series } = publication.addition.entry;
  const suspicious = verdicts
    .filter(({ verdict }) => verdict === 'suspicious')
    .flatMap(({ series: place }) => series[place] ?? [])
    .map(({ service, operation, tier, metric }) => `${service}/${operation}/${tier} ${metric}`);
  const runs = (await historyIndex(after))?.segments.reduce((sum, segment) => sum + segment.runs, 0) ?? 0;
  const warning =
    suspicious.length === 0
      ? ''
      : `; suspicious, so later runs are not compared with it unless it starts a new level: ${suspicious.join(', ')}`;
  const text =
    outcome === 'unchanged' ? 'already has this run' : `has ${counted(runs, 'run')}: commit this folder${warning}`;
  printResult(
    { command: 'baseline update', json: flags.json },
    { folder: flags.folder, outcome, runs, suspicious },
    `baseline: ${flags.folder} ${text}\n`,
  );
}

function refuseUnfinished(run: Run, file: string): void {
  requireWhole(run, file);
  if (run.rounds?.plant !== undefined) {
    throw new ConfigError(`${file}: the head has a planted slowdown, so it cannot be a baseline`, {
      code: 'WG-407',
      next: 'Measure with `wiregauge run` or `wiregauge compare`.',
    });
  }
  if (!run.complete) {
    throw new ConfigError(`${file}: the run was not completed, so it cannot be a baseline`, {
      code: 'WG-407',
      next: 'Run `wiregauge run` to its end first.',
    });
  }
}
