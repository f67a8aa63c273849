import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { ConfigError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { shortCommit } from '../../foundation/text.ts';
import { anchoredEntryOf } from '../../history/anchored.ts';
import { type HistoryBranch, openHistoryBranch } from '../../history/branch/branch.ts';
import { BranchRefusal } from '../../history/branch/refusal.ts';
import { pageFiles } from '../../history/folder.ts';
import { plantEntryOf } from '../../history/plants.ts';
import { type Publication, planned, publishRun } from '../../history/publish.ts';
import { historyIndex, requireIndex } from '../../history/reader.ts';
import { lostRuns } from '../../history/repair/lost.ts';
import { type HistoryEntry, hasOwnFigures } from '../../history/store/entry.ts';
import { type EntryFacts, entryOf, identityOf } from '../../history/store/run-entry.ts';
import { runHistograms } from '../../history/store/segment.ts';
import { hashOf } from '../../host/files/repository.ts';
import { commitFacts } from '../../host/git/repository.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { print, printCommand, printLine, remarkLog, remarkOutput } from '../../host/terminal/output.ts';
import { isInWorkflow } from '../../host/workflow.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import type { Run, RunFile } from '../../model/run/run.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { printResult } from '../program/result.ts';
import { readRunFile, refuseVersus } from '../runs/run-files.ts';
import { type AlertFlags, sendAlerts } from './alerts.ts';
import { judgedByHistory, publishOriginOf } from './origin.ts';
import { lostLine, type PlacedHistory, pagesUrl, repositoryPage, USUAL_PLACE } from './place.ts';

interface PublishFlags extends AlertFlags {
  readonly remote: string;
  readonly branch: string;
  readonly folder: string;
  readonly createBranch?: boolean;
  readonly allowDirty?: boolean;
  readonly dryRun?: boolean;
  /** Warns and continues if the credentials are read-only. */
  readonly ifAllowed?: boolean;
  readonly reportUrl?: string;
}

export function nameRun(identity: string): string {
  return hashOf([identity]).slice(0, 12);
}

/** Outcome of publishing: `planned` only prints, and `not-allowed` prints a warning. */
type Publishing = 'written' | 'unchanged' | 'planned' | 'not-allowed';

/** `wiregauge publish`: `publishMeasured` as a command. */
export async function publish(file: string, flags: PublishFlags): Promise<void> {
  await publishMeasured({ file, run: readRunFile(file) }, flags);
}

/**
 * Adds a run to the history on a branch, once, even if others publish at the same time. The checkout is only read. Throws ConfigError for a run that
 * may not enter it, HistoryError for an unreadable history, and BranchRefusal if the remote refuses, unless `ifAllowed` tolerates the credentials.
 */
export async function publishMeasured({ file, run }: RunFile, flags: PublishFlags): Promise<Publishing> {
  requireWhole(run, file);
  try {
    await using store = await openHistoryBranch({
      checkout: process.cwd(),
      remote: flags.remote,
      branch: flags.branch,
      folder: flags.folder,
      createBranch: flags.createBranch === true,
      owner: machineOwner(),
      log: remarkLog(flags),
    });
    const publication = {
      ...(await publicationOf(run, store, flags)),
      page: pageFiles(join(OWN_ROOT, 'dist', 'site')),
    };
    return await (flags.dryRun === true ? reportPlan : write)(store, publication, flags);
  } catch (thrown) {
    if (flags.ifAllowed !== true || !(thrown instanceof BranchRefusal) || thrown.kind !== 'credentials') {
      throw thrown;
    }
    warn(`Nothing was published: ${thrown.message}. ${thrown.next ?? ''}`, flags);
    printResult({ command: 'publish', json: flags.json }, { outcome: 'not-allowed' }, '');
    return 'not-allowed';
  }
}

/** Throws ConfigError for services compared with each other, and for a single shard of a comparison. */
export function requireWhole(run: Run, file: string): void {
  refuseVersus(run, file);
  if (run.rounds?.shards?.kind === 'shard') {
    throw new ConfigError(`${file}: is one shard of a comparison`, {
      code: 'WG-404',
      next: 'Merge the shards first with `wiregauge shards merge`, and publish the result.',
    });
  }
}

function historyEntryOf(run: Run, facts: EntryFacts): HistoryEntry {
  if (!isInRounds(run)) {
    return entryOf(run, facts);
  }
  const { anchor, plant } = run.rounds;
  if (plant !== undefined && !('cpu' in plant)) {
    throw new ConfigError('only a planted share of CPU time enters the history', {
      code: 'WG-603',
      next: 'Measure with `wiregauge calibrate --plant 5%`.',
    });
  }
  if (plant !== undefined) {
    return plantEntryOf(run, plant, facts);
  }
  return anchor === undefined ? entryOf(run, facts) : anchoredEntryOf(run, anchor, facts);
}

/** Entry of a run, without the files of the page. Throws ConfigError if it may not enter a history, or has no figures. */
export async function publicationOf(
  run: Run,
  store: PlacedHistory,
  flags: Partial<Pick<PublishFlags, 'remote' | 'reportUrl' | 'allowDirty' | 'json'>>,
): Promise<Publication> {
  const { remote = USUAL_PLACE.remote, reportUrl } = flags;
  const origin = publishOriginOf(run, flags.allowDirty === true);
  const judged = await judgedByHistory(run, store.read, remarkLog(flags));
  const commit = run.rounds === undefined ? run.commit.head : (run.rounds.head.commit ?? run.commit.head);
  const defaultBranch = origin.branch === undefined ? (await historyIndex(store.read))?.branch : origin.defaultBranch;
  const facts = await commitFacts(process.cwd(), commit, { remote, defaultBranch });
  const entry = historyEntryOf(run, {
    ...facts,
    run: nameRun(identityOf(run)),
    branch: origin.branch ?? facts.branch,
    links: { run: origin.runUrl, report: reportUrl },
    ...judged,
  });
  if (entry.series.length === 0) {
    throw new ConfigError('the run has no figures for any service', {
      code: 'WG-603',
      next: 'See its report for the reason: `wiregauge report`. Publish a completed run.',
    });
  }
  const address = store.address === undefined ? undefined : repositoryPage(store.address);
  return {
    addition: hasOwnFigures(entry) ? { entry, histograms: runHistograms(run) } : { entry },
    about: {
      wiregauge: packageFile.version,
      repository: origin.repository ?? address,
      branch: origin.defaultBranch ?? facts.defaultBranch,
    },
    page: [],
  };
}

async function write(store: HistoryBranch, publication: Publication, flags: PublishFlags): Promise<Publishing> {
  const { entry } = publication.addition;
  const name = nameOf(publication);
  const done = await publishRun(store, publication, `wiregauge: ${name}`);
  const url = pagesUrl(publication.about.repository, flags.folder);
  const link = url === undefined ? '' : `: ${url}`;
  const { outcome, attempts, bytes, lost } = done;
  if (lost !== undefined) {
    warn(lostLine(lost), flags);
  }
  const place = `${store.name} of ${flags.remote}`;
  const cost = `${counted(attempts, 'try', 'tries')}, ${kilobytes(bytes)}`;
  const text =
    outcome === 'unchanged'
      ? `${name} is already in ${place}, as run ${entry.run}: nothing was written${link}\n`
      : `published ${name} in ${place}, as run ${entry.run} (${cost})${link}\n`;
  // The message that the run is published comes before its alerts.
  if (flags.json !== true) {
    print(text);
  }
  const alerts = await sendAlerts({ publication, done, page: url, flags, warn: (message) => warn(message, flags) });
  const data = { outcome, run: entry.run, history: store.name, attempts, bytes, url, alerts, lost };
  printResult({ command: 'publish', json: flags.json }, data, '');
  return outcome;
}

function nameOf({ addition: { entry } }: Publication): string {
  return [entry.suite, entry.commit && shortCommit(entry.commit.sha)].filter((part) => part !== undefined).join(' ');
}

async function reportPlan(store: HistoryBranch, publication: Publication, flags: PublishFlags): Promise<Publishing> {
  await requireIndex(store);
  const lost = await lostRuns(store);
  const { changes, bytes } = await planned(store.read, publication, lost);
  const files: string[] = [];
  for (const { path, text } of changes) {
    const before = await store.read(path);
    if (before !== text) {
      files.push(`${before === undefined ? 'new' : 'changed'} ${path}`);
    }
  }
  const name = nameOf(publication);
  const growth = `${name} would be published in ${store.name}, which would grow by ${kilobytes(bytes)}:`;
  const text =
    changes.length === 0
      ? `${name} is already in ${store.name}: nothing would be written\n`
      : `${[growth, ...files.map((file) => `  ${file}`)].join('\n')}\n`;
  const { run } = publication.addition.entry;
  const data = { outcome: 'planned', run, history: store.name, bytes, files };
  printResult({ command: 'publish', json: flags.json }, data, text);
  return 'planned';
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

function warn(message: string, flags: PublishFlags): void {
  printLine(`wiregauge: ${message}`, 'err');
  if (isInWorkflow()) {
    printCommand({ name: 'warning', text: message, title: 'Wiregauge' }, remarkOutput(flags));
  }
}
