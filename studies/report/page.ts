import { counted, formatDuration } from '../../src/foundation/numbers.ts';
import { wordList } from '../../src/foundation/text.ts';
import { readCells } from '../../src/judge/reading/cells.ts';
import { versusRun } from '../../src/model/run/comparison.ts';
import { type Document, paragraph, type Section, type Table } from '../../src/report/document.ts';
import { evidenceOf } from '../../src/report/versus/view.ts';
import { placeTexts, startOf } from '../../src/report/views/facts.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { viewRun } from '../../src/report/views/run-view.ts';
import { findingRows, type StudyFindingRow, slotFindingRows } from './findings.ts';
import { findingsSection, HOLDING_WORDS, numbersOf } from './findings-section.ts';

export interface MeasuredStudy {
  readonly suite: string;
  readonly title: string;
  readonly profile: string;
  /** Wall time, including builds. */
  readonly seconds: number;
  /** Undefined if it ended before there was anything to judge. */
  readonly judgment?: Judgment | undefined;
  /** Reason that it was not fully measured; may contain untrusted text. */
  readonly failure?: string | undefined;
  /** Path of its own report from the page: "hops/report.html". */
  readonly report?: string | undefined;
}

/** Findings of the study of a run, tested with its measurements; none if its suite has none. */
export function studyFindings({ run, compared }: Judgment): readonly StudyFindingRow[] {
  const rounds = versusRun(run);
  return rounds !== undefined && compared !== undefined
    ? findingRows(rounds, evidenceOf(rounds, compared, rounds === run ? undefined : readCells(run)))
    : slotFindingRows(viewRun(run));
}

/** Page about several studies: their findings that hold on this machine, and the results of each. */
export function studiesDocument(studies: readonly MeasuredStudy[]): Document {
  const results = studies.map((study) => ({ study, findings: study.judgment ? studyFindings(study.judgment) : [] }));
  const [first] = studies.flatMap(({ judgment }) => judgment?.run ?? []);
  const seconds = studies.reduce((sum, study) => sum + study.seconds, 0);
  return {
    title: 'Published findings, tested here',
    facts: [...(first ? [startOf(first), ...placeTexts(first)] : []), formatDuration(seconds)],
    summary: [paragraph(outcomeOf(results), 'strong'), ...noteOf(studies)],
    sections: [overview(results), ...results.map(studySection)],
    ...(first && { origin: first }),
  };
}

interface StudyResult {
  readonly study: MeasuredStudy;
  readonly findings: readonly StudyFindingRow[];
}

function outcomeOf(results: readonly StudyResult[]): string {
  const all = results.flatMap(({ findings }) => findings);
  const [holds, fails, open] = numbersOf(all);
  return `Of ${counted(all.length, 'finding')} in ${counted(results.length, 'suite')}, ${holds} confirmed, ${fails} not confirmed, ${open} inconclusive.`;
}

function noteOf(studies: readonly MeasuredStudy[]): Document['summary'] {
  const profiles = [...new Set(studies.map(({ profile }) => profile))];
  const failed = studies.flatMap(({ suite, failure }) => (failure === undefined ? [] : [`${suite}: ${failure}`]));
  return [
    paragraph(
      `Each suite ran once with the profile ${wordList(profiles)}. A finding is inconclusive if the measured interval contains the limit; a longer profile narrows the interval.`,
      'note',
    ),
    { kind: 'list', items: failed, tone: 'worse' },
  ];
}

function overview(results: readonly StudyResult[]): Section {
  const table: Table = {
    kind: 'table',
    caption: 'Findings of each suite',
    columns: ['suite', 'findings', 'hold', 'do not', HOLDING_WORDS.unclear, 'time', { text: 'report', isText: true }],
    rows: results.map(({ study, findings }) => ({
      head: study.suite,
      cells: [
        String(findings.length),
        ...numbersOf(findings).map(String),
        formatDuration(study.seconds),
        study.report === undefined ? 'none' : { text: study.report, file: study.report },
      ],
    })),
  };
  return { id: 'suites', title: 'Suite by suite', blocks: [table] };
}

function studySection({ study, findings }: StudyResult, place: number): Section {
  const published = study.judgment?.run.suite.published;
  const source = published === undefined ? [] : [paragraph(`Published in: ${published.source}.`, 'note')];
  return {
    id: `study-${place + 1}`,
    title: study.title,
    blocks:
      findings.length === 0
        ? [paragraph('Nothing was measured for it.')]
        : [...source, ...findingsSection(findings).blocks],
    only: ['terminal', 'markdown', 'html'],
  };
}
