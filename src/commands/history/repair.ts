import packageFile from '../../../package.json' with { type: 'json' };
import { counted } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { type Repair, type RepairRequest, repairedHistory, type ShorterSegment } from '../../history/repair/repair.ts';
import { histogramsPath, lostText } from '../../history/store/segments.ts';
import { commitFacts } from '../../host/git/repository.ts';
import { printResult } from '../program/result.ts';
import { type HistoryPlaceFlags, type PlacedHistory, repositoryPage, withHistory } from './place.ts';

interface HistoryRepairFlags extends HistoryPlaceFlags {
  readonly repository?: string;
  readonly defaultBranch?: string;
  readonly changePoints?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `wiregauge history repair`: reports files that do not match the segments they derive from, and with `yes` rebuilds them. In segments only guessed
 * directions of imported series change; a truncated last line of distributions is deleted. Throws HistoryError or ConfigError, and
 * writes nothing, if a segment cannot be read or any file has a newer schema.
 */
export async function historyRepairCommand(flags: HistoryRepairFlags): Promise<void> {
  const isMeant = flags.yes === true && flags.dryRun !== true;
  await withHistory(flags, async (store) => {
    const request = await requestOf(flags, store);
    const repair = await (isMeant ? repaired : repairedHistory)(store, request);
    const isWritten = isMeant && repair.changes.length > 0;
    const { index, found, lost, shorter, cut, changes, corrected } = repair;
    printResult(
      { command: 'history repair', json: flags.json },
      {
        ...{ history: store.name, outcome: isWritten ? 'written' : 'unchanged' },
        ...{ files: changes.map(({ path }) => path), segments: index.segments.length, found, lost, shorter, cut },
        directions: corrected.map(({ file, before, series }) => ({ file, ...series, before })),
      },
      repairText(repair, store.name, isMeant),
    );
  });
}

/** Result of the last write: another program may write in between. */
async function repaired(store: PlacedHistory, request: RepairRequest): Promise<Repair> {
  const tries: Repair[] = [];
  await store.change(async (files) => {
    const repair = await repairedHistory(files, request);
    tries.push(repair);
    return repair.changes;
  }, 'wiregauge: rebuild the index from the segments');
  const last = tries.at(-1);
  if (last === undefined) {
    throw new Error('a history was changed without being read');
  }
  return last;
}

/** A checkout shows the repository of a branch; a folder does not. */
async function requestOf(flags: HistoryRepairFlags, { address }: PlacedHistory): Promise<RepairRequest> {
  const { repository, defaultBranch, changePoints } = flags;
  const facts = address === undefined ? undefined : await commitFacts(process.cwd(), undefined, flags);
  return {
    about: { wiregauge: packageFile.version, repository, branch: defaultBranch },
    otherwise: { repository: repositoryPage(address ?? ''), branch: facts?.defaultBranch },
    findsChanges: changePoints === true,
  };
}

function repairText(
  { changes, index, found, lost, shorter, cut, forgotten, corrected }: Repair,
  name: string,
  isMeant: boolean,
): string {
  const runs = index.segments.reduce((sum, segment) => sum + segment.runs, 0);
  const whole = `${name}: ${counted(index.segments.length, 'segment')} with ${counted(runs, 'run')}`;
  if (changes.length === 0) {
    return `${whole}; everything derived from them matches\n`;
  }
  const files = counted(changes.length, 'file');
  const lines = [
    ...found.map((row) => `history/${row.file}: ${counted(row.runs, 'run')} missing from the index`),
    ...lost.map((row) => `history/${row.file}: is missing, but the index lists ${counted(row.runs, 'run')} in it`),
    ...shorter.flatMap(shorterTexts),
    ...(forgotten === undefined
      ? []
      : [`${lostText(forgotten)}; the index ${isMeant ? 'no longer records this' : 'would no longer record this'}`]),
    ...corrected.map(({ file, series, before }) => {
      const { suite, operation, metric, unit, better } = series;
      const name = cleanText(`${suite}, ${operation} ${metric}${unit === '' ? '' : ` (${unit})`}`, 300);
      return `history/${file}: ${name}: ${DIRECTIONS[better]}, ${isMeant ? 'no longer' : 'not'} ${DIRECTIONS[before]}`;
    }),
    ...cut.map((path) => `${path}: its last line was cut short, and ${isMeant ? 'is' : 'would be'} deleted`),
    ...changes
      .filter(({ path }) => !cut.includes(path))
      .map(({ path }) => `${cleanText(path)}: ${isMeant ? 'is' : 'would be'} rebuilt`),
    ...(index.branch === undefined ? [NO_BRANCH] : []),
    isMeant
      ? `${whole}; ${files} rebuilt`
      : `${whole}; ${files} would be rebuilt; nothing was written. To write: --yes`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const DIRECTIONS = {
  lower: 'lower is better',
  higher: 'higher is better',
  unknown: 'no direction',
} as const;

function shorterTexts({ now, before, undistributed }: ShorterSegment): readonly string[] {
  const [have, named] =
    now.runs < before.runs
      ? [counted(now.runs, 'run'), counted(before.runs, 'run')]
      : [counted(now.bytes, 'byte'), counted(before.bytes, 'byte')];
  const [kept = 0, known = 0] = [now.distributions, before.distributions];
  const path = histogramsPath(now.file);
  const rest = undistributed.length - MAX_NAMES;
  // Those that lost them are among these, most likely the newest.
  const names = `${undistributed.slice(-MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [
    ...(now.runs < before.runs || now.bytes < before.bytes
      ? [`history/${now.file}: has ${have}, but the index lists ${named}`]
      : []),
    ...(kept < known
      ? [
          `${path}: has distributions of ${counted(kept, 'run')}, but the index lists ${known}${names === '' ? '' : `; none of ${names}`}`,
        ]
      : []),
  ];
}

const MAX_NAMES = 5;

const NO_BRANCH = 'The default branch is unknown, so runs of all branches count: set it with --default-branch.';
