import { counted, NO_FIGURE } from '../../src/foundation/numbers.ts';
import type { Run } from '../../src/model/run/run.ts';
import {
  type Block,
  type Cell,
  fold,
  paragraph,
  type Section,
  type Table,
  type TableRow,
} from '../../src/report/document.ts';
import type { Holding } from '../judge/findings.ts';
import type { FindingFigure, FindingTest, StudyFindingRow } from './findings.ts';

export const HOLDING_WORDS: Readonly<Record<Holding, string>> = {
  holds: 'holds',
  'does not hold': 'does not hold',
  unclear: 'inconclusive',
};

/**
 * Findings of the study, with published and measured values and results: one table, with the values behind it. In a suite about a question that its
 * study left open (`leftOpen`) they are not findings of the study.
 */
export function findingsSection(
  findings: readonly StudyFindingRow[],
  { leftOpen = false }: Pick<NonNullable<Run['suite']['published']>, 'leftOpen'> = {},
): Section {
  return {
    id: 'findings',
    title: leftOpen ? 'Statements of this suite, tested here' : 'Findings of the study, tested here',
    blocks: findings.length === 0 ? [] : findingBlocks(findings, leftOpen ? 'statement' : 'finding'),
  };
}

type Noun = 'finding' | 'statement';

function findingBlocks(findings: readonly StudyFindingRow[], noun: Noun): readonly Block[] {
  const figures = figuresTable(findings, noun);
  return [
    paragraph(outcomeOf(findings, noun)),
    { ...findingTable(findings, noun), only: ['terminal', 'markdown', 'html'] },
    { ...shortTable(findings, noun), only: ['brief'] },
    ...(figures.rows.length === 0 ? [] : [fold(figures.caption, figures)]),
  ];
}

/** "4 of 15 findings confirmed, 9 not confirmed, 2 inconclusive." */
function outcomeOf(findings: readonly StudyFindingRow[], noun: Noun): string {
  const [holds, fails, open] = numbersOf(findings);
  return `${holds} of ${counted(findings.length, noun)} confirmed, ${fails} not confirmed, ${open} inconclusive.`;
}

/** Numbers of findings that hold, that do not, and that are inconclusive. */
export function numbersOf(findings: readonly StudyFindingRow[]): readonly number[] {
  return Object.keys(HOLDING_WORDS).map((holding) => findings.filter((finding) => finding.holding === holding).length);
}

function findingTable(findings: readonly StudyFindingRow[], noun: Noun): Table {
  const isPublished = findings.some(({ published }) => published !== undefined);
  return {
    kind: 'table',
    caption: isPublished
      ? `Each ${noun}, what was published, and what was measured here`
      : `Each ${noun}, and what was measured here`,
    groupHead: noun,
    columns: [
      hasCases(findings) ? 'case' : noun,
      ...(isPublished ? [{ text: 'published', isText: true }] : []),
      { text: 'here', isText: true },
      { text: 'holds?', isText: true },
    ],
    rows: findings.map((finding) => ({
      ...(hasCases(findings) ? { group: finding.says, head: finding.of ?? 'in all' } : { head: finding.says }),
      cells: [...(isPublished ? [publishedCell(finding)] : []), figureCell(finding.here), holdingCell(finding.holding)],
    })),
  };
}

function publishedCell({ published }: StudyFindingRow): Cell {
  return published === undefined ? { text: NO_FIGURE, tone: 'faint' } : { text: published };
}

function hasCases(findings: readonly StudyFindingRow[]): boolean {
  return findings.some(({ of }) => of !== undefined);
}

/** Table for the end of a command: confirmed findings first, at most one line each if there is room for it. */
function shortTable(findings: readonly StudyFindingRow[], noun: Noun): Table {
  return {
    kind: 'table',
    caption: `Each ${noun}, and what was measured for it`,
    isList: true,
    columns: [noun, { text: 'holds?', isText: true }, { text: 'here', isText: true }],
    rows: findings.map(({ says, of, holding, here }) => ({
      head: titleOf({ says, of }),
      cells: [HOLDING_WORDS[holding], here.text],
    })),
  };
}

function titleOf({ says, of }: Pick<StudyFindingRow, 'says' | 'of'>): string {
  return of === undefined ? says : `${says} (${of})`;
}

function figuresTable(findings: readonly StudyFindingRow[], noun: Noun): Table {
  const sources = new Set(findings.flatMap(({ tests }) => tests.map(({ by }) => by)).filter((by) => by !== ''));
  const isMixed = sources.size > 1;
  const [source] = sources;
  const rows = findings.flatMap((finding) =>
    finding.tests.map((test) => ({ group: titleOf(finding), head: test.what, cells: testCells(test, isMixed) })),
  );
  return {
    kind: 'table',
    caption: `The figures behind each ${noun}${isMixed || source === undefined ? '' : `, from ${source}`}`,
    groupHead: noun,
    columns: [
      'figure',
      { text: 'here', isText: true },
      { text: 'expected', isText: true },
      { text: 'holds?', isText: true },
      { text: 'note', isText: true },
    ],
    rows,
  };
}

function testCells({ here, required, holding, by, reasons }: FindingTest, isMixed: boolean): TableRow['cells'] {
  const notes = [...(isMixed && by !== '' ? [by] : []), ...reasons];
  return [figureCell(here), required, holdingCell(holding), notes.join('; ')];
}

function figureCell({ text, interval, isMissing }: FindingFigure): Cell {
  return { text, ...(isMissing && { tone: 'faint' }), details: interval === '' ? [] : [{ text: interval }] };
}

/** Neither is good or bad news: an inconclusive one is faint. */
function holdingCell(holding: Holding): Cell {
  return { text: HOLDING_WORDS[holding], ...(holding === 'unclear' && { tone: 'faint' }) };
}
