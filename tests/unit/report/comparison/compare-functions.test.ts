import { describe, expect, test } from 'vitest';
import { judgedRun } from '../../../../src/judge/verdict/judge.ts';
import type { ExecutedCall, ExecutedFunction } from '../../../../src/model/run/functions.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { markdownOf } from '../../../../src/report/render/markdown.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { CONTEXT, fold } from '../../../support/sample-comment.ts';
import { REST_STARTS, SLOWER_STARTS, sampleCounts } from '../../../support/sample-counts.ts';

const executed = (name: string, self: number, inclusive: number): ExecutedFunction => ({
  name,
  object: 'python3.11',
  self,
  inclusive,
});

const FUNCTIONS = {
  base: [executed('_PyEval_EvalFrameDefault', 300_000, 500_000), executed('PyList_Sort', 20_000, 30_000)],
  head: [
    executed('_PyEval_EvalFrameDefault', 306_000, 509_000),
    executed('PyList_Sort', 19_000, 33_000),
    { ...executed('deflate', 1200, 1300), object: 'libz.so.1' },
  ],
};

const called = (name: string, inclusive: number, parent = -1): ExecutedCall => ({
  name,
  object: 'app.py',
  inclusive,
  parent,
});

/** All below one function, which is not drawn. */
const CALLS = {
  base: [
    called('serve', 610_000),
    called('get <b>', 400_000, 0),
    called('log', 210_000, 0),
    called('encode', 100_000, 1),
  ],
  head: [
    called('serve', 618_000),
    called('get <b>', 412_000, 0),
    called('log', 206_000, 0),
    called('encode', 100_000, 1),
    called('sort', 12_000, 1),
    called('narrow', 400, 1),
  ],
};

const judged = (head: readonly (readonly number[])[], functions = FUNCTIONS) =>
  judgedRun(sampleCounts({ head, functions }));

const commentOn = (head: readonly (readonly number[])[], functions = FUNCTIONS) => {
  const { run, result } = judged(head, functions);
  return comparisonComment(run, result, CONTEXT);
};

const documentOn = (functions = FUNCTIONS) => {
  const { run, result } = judged(SLOWER_STARTS, functions);
  return comparisonDocument(run, result);
};

const TITLE = 'Functions of REST that execute more';

describe('the functions of a service whose instructions regressed', () => {
  test('are a table in a fold of the comment', () => {
    const rows = fold(commentOn(SLOWER_STARTS), TITLE).match(/^\| .*$/gm) ?? [];

    expect(rows.map((row) => row.replaceAll('\\', ''))).toEqual([
      '| function | file | base | head | more | more (self) |',
      '| --- | --- | ---: | ---: | ---: | ---: |',
      '| _PyEval_EvalFrameDefault | python3.11 | 500k | 509k | +9,000 | +6,000 |',
      '| PyList_Sort | python3.11 | 30.0k | 33.0k | +3,000 | −1,000 |',
      '| deflate | libz.so.1 | 0 | 1,300 | +1,300 | +1,200 |',
    ]);
  });

  test('are in the report of every medium', () => {
    expect(markdownOf(documentOn())).toContain(TITLE);
    expect(htmlOf(documentOn())).toContain('deflate');
    expect(terminalOf(documentOn(), PLAIN)).toContain('deflate');
  });

  test('are left out if nothing regressed, or nothing is known of them', () => {
    expect(commentOn(REST_STARTS)).not.toContain(TITLE);
    expect(commentOn(SLOWER_STARTS, { base: [], head: [] })).not.toContain(TITLE);
    expect(commentOn(SLOWER_STARTS, { base: FUNCTIONS.base, head: FUNCTIONS.base })).not.toContain(TITLE);
  });

  test('are only text, for hostile names', () => {
    const evil = `</summary></details>|\`<img src=x onerror=alert(1)>@octocat\u001b[2J\u202e${'x'.repeat(150)}`;
    const functions = {
      base: FUNCTIONS.base,
      head: [...FUNCTIONS.head, { ...executed(evil.slice(0, 200), 9000, 9000), object: '[a](javascript:alert(1))' }],
    };
    const comment = commentOn(SLOWER_STARTS, functions);
    const document = documentOn(functions);

    for (const text of [comment, markdownOf(document), htmlOf(document)]) {
      expect(text).not.toContain('<img');
      expect(text).not.toContain('\u202e');
    }
    expect(comment).not.toMatch(/@octocat/);
    expect(comment).not.toMatch(/[^\\]\]\(javascript/);
    expect(fold(comment, TITLE).match(/^\| .*$/gm)).toHaveLength(6);
    expect(terminalOf(document, PLAIN)).not.toContain('\u001b[2J');
  });

  test('are a flame graph on the page, as wide as they execute and colored by what is more', () => {
    const run = sampleCounts({ head: SLOWER_STARTS, functions: FUNCTIONS, calls: CALLS });
    const { run: judgedOne, result } = judgedRun(run);
    const document = comparisonDocument(judgedOne, result);
    const page = htmlOf(document);
    expect(page).toMatch(
      /aria-label="Functions of REST that execute more" data-at="s0">[\s\S]*<figure class="chart flame" data-at="s0">/,
    );
    const frames = [
      ...page.matchAll(/<g class="(\w+)"><title>([^<]+)<\/title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g),
    ];

    expect(frames.map(([, ...parts]) => parts)).toEqual([
      ['more', 'get &lt;b&gt; (app.py): 400k → 412k', '0', '0', '800'],
      ['alike', 'encode (app.py): 100k → 100k', '0', '18', '194.2'],
      ['more', 'sort (app.py): 12.0k, and few or none in base', '194.2', '18', '23.3'],
      ['less', 'log (app.py): 210k → 206k', '800', '0', '400'],
    ]);
    expect(markdownOf(document)).not.toContain('Who calls what');
    expect(terminalOf(document, PLAIN)).not.toContain('Who calls what');
  });

  test('have no flame graph if who called whom is not known', () => {
    expect(htmlOf(documentOn())).not.toContain('Who calls what');
  });
});
