import { describe, expect, test } from 'vitest';
import { judgmentPage } from '../../../../src/commands/runs/report.ts';
import type { Block, Document } from '../../../../src/report/document.ts';
import { fold, heading, list, paragraph } from '../../../../src/report/document.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { briefTerminalOf, terminalOf } from '../../../../src/report/render/terminal.ts';
import { REPORTS } from '../../../support/reports.ts';
import { comparedJudgment, comparisonResult } from '../../../support/sample-comparison.ts';
import { FINDINGS } from '../../../support/sample-findings.ts';
import { sampleJudgment } from '../../../support/sample-run.ts';

const items = (count: number) => Array.from({ length: count }, (_, index) => `item ${index + 1}`);
const table = (rows: number) => ({
  kind: 'table' as const,
  caption: 'Figures',
  columns: ['', 'p50'],
  rows: items(rows).map((head) => ({ head, cells: ['1 ms'] })),
});

const documentOf = (document: Partial<Document>): Document => ({
  title: 'T',
  facts: [],
  summary: [paragraph('Regression: shop is slower.', 'strong')],
  sections: [],
  ...document,
});

const brief = (document: Partial<Document>, most = 10) =>
  briefTerminalOf(documentOf(document), PLAIN, most).trimEnd().split('\n');

describe('the end of a command', () => {
  test('is the outcome, then what is open elsewhere, without what is folded', () => {
    const sections = [
      { id: 'changed', title: 'What changed', blocks: [list(['shop: +20%']), fold('More', list(['not this']))] },
      { id: 'all', title: 'All', blocks: [list(['nor this'])], isFolded: true },
    ];

    expect(brief({ sections })).toEqual(['Regression: shop is slower.', '', 'What changed', '- shop: +20%']);
  });

  test('cuts a list, and says so', () => {
    const sections = [{ id: 'changed', title: 'What changed', blocks: [list(items(30))] }];

    expect(brief({ sections }).slice(2)).toEqual([
      'What changed',
      '- item 1',
      '- item 2',
      '- item 3',
      '- item 4',
      '- item 5',
      '- item 6',
      '  (24 more lines)',
    ]);
  });

  test('has a table as a whole, or not at all, and goes on behind it', () => {
    const blocks = [heading('Large'), table(30), heading('Small'), table(1)];

    const lines = brief({ sections: [{ id: 'a', title: 'Tiers', blocks }] });

    expect(lines.join('\n')).toContain('item 1');
    expect(lines.join('\n')).not.toContain('Large');
    expect(lines.join('\n')).not.toContain('item 2');
  });

  test('leaves out the note of a table that has no room', () => {
    const note = paragraph('Changes are not judged.', 'note');

    expect(brief({ sections: [{ id: 'a', title: 'Tiers', blocks: [note, table(30)] }] })).toHaveLength(1);
    expect(brief({ sections: [{ id: 'a', title: 'Tiers', blocks: [note, table(1)] }] }).slice(2, 5)).toEqual([
      'Tiers',
      'Changes are not judged.',
      '',
    ]);
  });

  test('keeps a note that belongs to no table', () => {
    const note = paragraph('Nothing was sent.', 'note');
    const lines = brief({ sections: [{ id: 'a', title: 'Tiers', blocks: [note, heading('Small'), table(1)] }] });

    expect(lines.slice(2, 5)).toEqual(['Tiers', 'Nothing was sent.', '']);
    expect(lines).toContain('Small');
  });

  test('names the figures of tiles that have no room side by side', () => {
    const chips = ['disturbed', 'single start'].map((text) => ({ text }));
    const tiles = ['CPU per request', 'p99 at 1,000 users'].map((name) => ({ name, value: '614 µs', chips }));
    const summary: Block[] = [{ kind: 'tiles', groups: [{ title: 'A service with a long name', chips: [], tiles }] }];

    expect(briefTerminalOf(documentOf({ summary }), { ...PLAIN, columns: 60 })).toContain('CPU per request: 614 µs');
  });

  test.each([
    ['a comparison', comparedJudgment(comparisonResult({ findings: [FINDINGS.regressed, FINDINGS.unchanged] }))],
    ['a run', sampleJudgment({ rounds: 3, services: ['rest', 'rest-development', 'grpc'] })],
  ])('of %s has at most 18 lines, and begins as its report does', (_what, judgment) => {
    const text = briefTerminalOf(judgmentPage(judgment), PLAIN);

    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(18);
    expect(REPORTS.terminal(judgment).startsWith(text.split('\n\n')[0] ?? 'nothing')).toBe(true);
  });

  test('keeps to a narrow terminal', () => {
    const judgment = comparedJudgment(comparisonResult({ findings: [FINDINGS.regressed, FINDINGS.unchanged] }));
    const widths = terminalOf(judgmentPage(judgment), { ...PLAIN, columns: 60 })
      .split('\n')
      .map((line) => line.length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(60);
  });

  test('of a comparison has what changed with its change and its values, each on a line', () => {
    const text = briefTerminalOf(
      judgmentPage(comparedJudgment(comparisonResult({ findings: [FINDINGS.regressed] }))),
      PLAIN,
    );

    expect(text).toMatch(/^- REST, saturation: \+[\d.]+% \[.*\]; 211 → 224 µs \(CPU per request/m);
    expect(text).not.toContain('noise:');
  });
});
