import { cleanText, NO_FIGURE } from '../../foundation/index.ts';
import type { ComparisonResult } from '../../judge/index.ts';
import type { RunInRounds } from '../../model/index.ts';
import { fitted, type Paint, PLAIN, wrapped } from '../render/terminal.ts';
import { headline } from './headline.ts';
import { readRounds } from './rounds.ts';
import {
  byService,
  type ChangeGroup,
  changeGroups,
  type FindingRow,
  rowOf,
  type ServiceFindings,
  shiftText,
  verdictText,
} from './rows.ts';
import { versionFacts } from './shards.ts';
import { type ComparisonView, viewComparison } from './view.ts';
import { counted } from './words.ts';

/** A comparison of figures that were measured elsewhere, as plain text of at most 100 columns; the outcome comes first. */
export function comparisonText(result: ComparisonResult, title?: string): string {
  return rendered(viewComparison(result), title === undefined ? [] : [title], PLAIN);
}

/** A comparison of two versions for a terminal, at most 100 columns; the outcome comes first. */
export function comparisonReport(run: RunInRounds, result: ComparisonResult, paint: Paint): string {
  const view = viewComparison(result, run);
  const versions = versionFacts(view).map(({ name, value }) => `${name}: ${value}`);
  return rendered(view, versions, paint);
}

function rendered(view: ComparisonView, origin: readonly string[], paint: Paint): string {
  const { rounds, design } = readRounds(view);
  const parts = [
    wrapped(headline(view), '  ').map(paint.strong),
    origin.flatMap((line) => wrapped(cleanText(line, 300), '  ')),
    view.result.notes.flatMap(item).map(paint.strong),
    ...changeGroups(view).map((group) => groupLines(view, group, paint)),
    ...byService(view).map((service) => serviceTable(view, service, paint)),
    section('Rounds', rounds, paint),
    section('How sure', design, paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function section(title: string, sentences: readonly string[], paint: Paint): readonly string[] {
  return sentences.length === 0 ? [] : [paint.strong(title), ...sentences.flatMap(item)];
}

function item(sentence: string): readonly string[] {
  return wrapped(`- ${cleanText(sentence, 600)}`, '  ');
}

function groupLines(view: ComparisonView, group: ChangeGroup, paint: Paint): readonly string[] {
  const colour = group.standing === 'neutral' ? PLAIN.strong : paint[group.standing];
  return [
    paint.strong(colour(group.title)),
    ...group.findings.flatMap((finding) => changeLines(rowOf(view, finding), paint)),
    ...group.sentences.flatMap(item),
  ];
}

/** What changed in the first line, how sure that is in the second. */
function changeLines(row: FindingRow, paint: Paint): readonly string[] {
  const words = [
    `${cleanText(row.place, 200)}: ${shiftText(row)}`,
    ...(row.standing === 'better' ? [] : [`threshold ${row.threshold}`]),
    ...(row.isWatched || row.remark !== '' ? [verdictText(row)] : []),
  ];
  const sure = `  ${row.values}; noise ${row.noise}; ${seenWords(row)}; ${counted(row.rounds, 'round')}`;
  return [...wrapped(`- ${words.join(', ')}`, '  '), paint.faint(sure)];
}

function seenWords({ seen }: FindingRow): string {
  return seen === NO_FIGURE ? 'no slowdown would have been seen' : `seen from ${seen}`;
}

const WIDTHS = { label: 29, change: 8, interval: 16, verdict: 24, noise: 7, seen: 9, rounds: 7 } as const;

const HEAD = {
  change: 'change',
  interval: '95 % interval',
  verdict: 'verdict',
  noise: 'noise',
  seen: 'seen from',
  rounds: 'rounds',
};

/** Every comparison of a service in a line; those that cannot fail the check come after the others. */
function serviceTable(view: ComparisonView, [service, findings]: ServiceFindings, paint: Paint): readonly string[] {
  const title = cleanText(view.labels.service(service), 80);
  const rows = findings.map((finding) => rowOf(view, finding));
  const watched = rows.filter(({ isWatched }) => isWatched);
  return [
    ...labelled(paint.strong, title, tableLine({ ...HEAD, paint: paint.strong })),
    ...rows.filter(({ isWatched }) => !isWatched).flatMap((row) => rowLines(row, paint)),
    ...(watched.length === 0 ? [] : [paint.faint('only watched:')]),
    ...watched.flatMap((row) => rowLines(row, paint)),
  ];
}

function rowLines(row: FindingRow, paint: Paint): readonly string[] {
  const colour = row.standing === 'neutral' ? PLAIN.strong : paint[row.standing];
  return labelled(
    PLAIN.strong,
    cleanText(row.label, 200),
    tableLine({ ...row, rounds: `${row.rounds}`, paint: colour }),
  );
}

interface TableLine {
  readonly change: string;
  readonly interval: string;
  readonly verdict: string;
  readonly noise: string;
  readonly seen: string;
  readonly rounds: string;
  readonly paint: (text: string) => string;
}

function tableLine({ change, interval, verdict, noise, seen, rounds, paint }: TableLine): string {
  return (
    fitted(change, WIDTHS.change, 'right') +
    fitted(` ${interval}`, WIDTHS.interval, 'left') +
    paint(fitted(verdict, WIDTHS.verdict, 'left')) +
    fitted(noise, WIDTHS.noise, 'left') +
    fitted(seen, WIDTHS.seen, 'right') +
    fitted(rounds, WIDTHS.rounds, 'right')
  );
}

/** A label that is longer than its column stands on a line of its own, so that no name is cut. */
function labelled(paint: (text: string) => string, label: string, line: string): readonly string[] {
  return [...label].length <= WIDTHS.label
    ? [paint(fitted(label, WIDTHS.label, 'left')) + line]
    : [...wrapped(label, '    ').map(paint), ' '.repeat(WIDTHS.label) + line];
}
