import { escapeMarkdown, NO_FIGURE } from '../../foundation/index.ts';
import type { ComparisonResult, Finding } from '../../judge/index.ts';
import type { RunInRounds } from '../../model/index.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown.ts';
import { headline } from './headline.ts';
import { readRounds } from './rounds.ts';
import { byService, type ChangeGroup, changeGroups, type FindingRow, judgedInFamily, rowOf } from './rows.ts';
import { comparisonFacts, versionFacts } from './shards.ts';
import { type ComparisonView, viewComparison } from './view.ts';
import { counted } from './words.ts';

/** A comparison of two versions: the outcome, what changed in one table, the rest folded. */
export function comparisonSections(run: RunInRounds, result: ComparisonResult): readonly MarkdownSection[] {
  const view = viewComparison(result, run);
  const groups = changeGroups(view);
  const isWorse = ({ standing }: ChangeGroup) => standing === 'worse';
  const { rounds, design } = readRounds(view);
  return [
    open([`**${escapeMarkdown(headline(view), 1000)}**`]),
    open(versionLine(view)),
    open(list(result.notes)),
    ...groups.filter(isWorse).map(sentencesOf),
    open(changedTable(view, groups)),
    ...groups.filter((group) => !isWorse(group)).map(sentencesOf),
    folded(`All ${counted(result.findings.length, 'comparison')}`, allLines(view)),
    folded('Rounds, and how sure this is', list([...rounds, ...design])),
    folded('How it was measured', factLines(view)),
  ];
}

function open(lines: readonly string[]): MarkdownSection {
  return { title: undefined, lines };
}

/** Sentences as a list; escapes them. */
export function list(sentences: readonly string[]): readonly string[] {
  return sentences.map((sentence) => `- ${escapeMarkdown(sentence, 1000)}`);
}

function folded(title: string, lines: readonly string[]): MarkdownSection {
  return { title, lines };
}

/** Longer lists are folded, so that the table of what changed stays in sight. */
const MOST_OPEN = 5;

/** What a group says besides its figures; folded where it is long and bad news are not in it. */
export function sentencesOf({ title, standing, sentences }: ChangeGroup): MarkdownSection {
  if (sentences.length > MOST_OPEN && standing !== 'worse') {
    return folded(`${title}: ${sentences.length}`, list(sentences));
  }
  return open(sentences.length === 0 ? [] : [`**${title}**`, '', ...list(sentences)]);
}

function versionLine(view: ComparisonView): readonly string[] {
  const versions = versionFacts(view).map(({ name, value }) => `${name}: ${value}`);
  return versions.length === 0 ? [] : [escapeMarkdown(versions.join('. '), 600)];
}

/**
 * Only what is not unchanged; six columns, since wider tables scroll. `beside` is put before the count of rounds, and must need
 * no escaping.
 */
export function changedTable(
  view: ComparisonView,
  groups: readonly ChangeGroup[],
  beside: (finding: Finding) => string = () => '',
): readonly string[] {
  const rows = groups
    .flatMap(({ findings }) => findings)
    .map((finding) => {
      const row = rowOf(view, finding);
      const rounds = `${beside(finding)} ${row.rounds}`.trim();
      return [escapeMarkdown(row.place), verdictCell(row), shiftCell(row), row.noise, figure(row.seen), rounds];
    });
  return rows.length === 0 ? [] : markdownTable(['changed', 'verdict', 'change, 95 % interval', ...SURE_HEAD], rows, 2);
}

function verdictCell(row: FindingRow): string {
  const words = escapeMarkdown(judgedInFamily(row), 400);
  const threshold = row.standing === 'better' ? '' : `, threshold ${figure(row.threshold)}`;
  return `${row.standing === 'worse' && !row.isWatched ? `**${words}**` : words}${threshold}`;
}

const SURE_HEAD = ['noise', 'seen from', 'rounds'];

function sureCells({ noise, seen, rounds }: FindingRow): readonly string[] {
  return [noise, figure(seen), `${rounds}`];
}

function shiftCell({ change, interval }: FindingRow): string {
  return `${figure(change)} ${interval === NO_FIGURE ? 'no interval' : figure(interval)}`;
}

/** Escaped, and unbroken between a figure and its unit, since narrow columns break wherever they may. */
export function figure(text: string): string {
  return escapeMarkdown(text).replaceAll(' ', '\u00a0');
}

/** Every comparison, a table for each service. */
export function allLines(view: ComparisonView): readonly string[] {
  return byService(view).flatMap(([service, findings]) => [
    `**${escapeMarkdown(view.labels.service(service))}**`,
    '',
    ...allTable(view, findings),
    '',
  ]);
}

function allTable(view: ComparisonView, findings: readonly Finding[]): readonly string[] {
  const rows = findings.map((finding) => {
    const row = rowOf(view, finding);
    const watched = row.isWatched ? ' (only watched)' : '';
    return [
      escapeMarkdown(`${row.label}${watched}`),
      escapeMarkdown(row.verdict),
      figure(row.values),
      shiftCell(row),
      ...sureCells(row),
    ];
  });
  return markdownTable(['comparison', 'verdict', 'base → head', 'change, 95 % interval', ...SURE_HEAD], rows, 2);
}

/** All that could move a number, as a table. */
export function factLines(view: ComparisonView): readonly string[] {
  const rows = comparisonFacts(view).map(({ name, value }) => [escapeMarkdown(name), escapeMarkdown(value, 1000)]);
  return rows.length === 0 ? [] : markdownTable(['', ''], rows);
}
