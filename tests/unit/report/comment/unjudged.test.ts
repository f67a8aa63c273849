import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { commentMarker, resultsIn } from '../../../../src/report/comment/state.ts';
import { unjudgedComment, unjudgedSummary, withPending } from '../../../../src/report/comment/unjudged.ts';
import { CONTEXT, committed, QUIET } from '../../../support/sample-comment.ts';

const PASSED = (() => {
  const run = committed(QUIET);
  return comparisonComment(run, judgeRun(run), CONTEXT);
})();

const HEAD = 'c0ffee'.padEnd(40, '0');

const UNJUDGED = {
  head: HEAD,
  cause: 'base (main, 1df183b0c4): shop cannot be built: `go build` ended with exit code 2',
  printed: 'panic: boom\n…\ngoroutine 1 [running]:',
  next: 'Check out 1df183b0c4. Run `go build` in the root of the repository, and fix the errors that it reports.',
};

const over = (body: string, unjudged: Partial<typeof UNJUDGED> = {}) =>
  unjudgedComment(
    { ...UNJUDGED, ...unjudged },
    { ...CONTEXT, head: HEAD, finishedAt: '2026-11-22T01:02:03Z', earlier: resultsIn(body) },
  );

describe('the comment of a commit that was not judged', () => {
  it('says so first, with the cause and what was printed, and leaves of the commit before it only a line in a fold', () => {
    const body = over(PASSED);
    const [open = '', folded = ''] = body.split('<details>');

    expect(PASSED).toContain('✅');
    expect(open).not.toContain('✅');
    expect(open.split('\n')[1]).toBe(
      '⚪ **Commit c0ffee0 was not judged: base (main, 1df183b0c4): shop cannot be built: \\`go build\\` ended with exit code 2.**',
    );
    expect(open).toContain('```text\npanic: boom\n…\ngoroutine 1 [running]:\n```\n');
    expect(open).toContain('Check out 1df183b0c4. Run \\`go build\\`');
    expect(open).toContain('c0ffee0 · [Report](https://github.example/shop/actions/runs/77/artifacts/5)');
    expect(folded).toContain('<summary>Earlier results of this pull request</summary>\n\n- ✅ ');
    expect(resultsIn(body).map(({ outcome }) => outcome)).toEqual(['incomplete', 'passed']);
  });

  it('is the same in a summary, without what only a comment has', () => {
    const summary = unjudgedSummary(UNJUDGED);

    expect(summary).toContain('⚪ **Commit c0ffee0 was not judged');
    expect(summary).toContain('panic: boom');
    expect(summary).not.toContain('<!--');
  });

  it('lets nothing that was printed out of its fence', () => {
    const part = fc.constantFrom('```', '````', '``````', '~~~', '@team', '</details>', '<!-- x -->', '```text');
    const line = fc.oneof(
      part,
      fc.string(),
      fc.array(part).map((parts) => parts.join('')),
    );
    const text = fc.array(line, { maxLength: 10 }).map((lines) => `x\n${lines.join('\n')}`);

    fc.assert(
      fc.property(text, (printed) => {
        const lines = over(PASSED, { printed }).split('\n');
        const start = lines.findIndex((line) => /^`{3,}text$/.test(line));
        const fence = (lines[start] ?? '').replace('text', '');
        // Only a line of at least as many backticks, and nothing else, would end it.
        const end = lines.findIndex(
          (line, place) => place > start && /^ {0,3}`+\s*$/.test(line) && line.trim().length >= fence.length,
        );
        expect(lines[end]).toBe(fence);
        expect(lines[end + 2]).toContain('Check out 1df183b0c4');
        expect(end - start).toBeLessThanOrEqual(21);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a mention', '@team'],
    ['a link', '[a](https://evil.example)'],
    ['markup', '<img src=x>'],
    ['a second line', 'x\n# title'],
  ])('escapes %s in the cause and in the advice', (_what, text) => {
    const body = over(PASSED, { cause: `x ${text}`, next: `y ${text}` });

    expect(body).not.toMatch(/@team|(?<!\\)\]\(https:\/\/evil|<img|^# title/m);
  });
});

describe('a comment on top of which a newer commit is named', () => {
  const note =
    /^⏳ \*\*Commit c0ffee0 is not judged yet \(\[run\]\(https:\/\/ci\.example\/1\)\): everything below is about commit 1df183b\.\*\*$/m;
  const runUrl = 'https://ci.example/1';

  it('keeps its marker, its results and everything below', () => {
    const body = withPending(PASSED, { head: HEAD, runUrl }) ?? '';

    expect(body).toMatch(note);
    expect(body.split('\n')[0]).toBe(PASSED.split('\n')[0]);
    expect(body.indexOf('⏳')).toBeLessThan(body.indexOf('✅'));
    expect(resultsIn(body)).toEqual(resultsIn(PASSED));
  });

  it('has one such line after further pushes', () => {
    const once = withPending(PASSED, { head: 'd'.repeat(40), runUrl }) ?? '';
    const twice = withPending(once, { head: HEAD, runUrl }) ?? '';

    expect(twice).toBe(withPending(PASSED, { head: HEAD, runUrl }));
    expect(twice.match(/⏳/g)).toHaveLength(1);
  });

  it('shows what is counted so far, escaped, above older results or alone', () => {
    const counts = 'rest: instructions/request 889k → 901k (+1.4%): regressed <img>';
    const alone = withPending(`${commentMarker('ci')}\n`, { head: HEAD, runUrl, counts }) ?? '';
    const above = withPending(PASSED, { head: HEAD, runUrl, counts }) ?? '';

    expect(alone).toContain(
      'is not judged yet ([run](https://ci.example/1)).** Rounds are still running. rest: instructions/request 889k → 901k',
    );
    expect(above).toContain('about commit 1df183b.** Rounds are still running. rest:');
    expect(alone + above).not.toContain('<img>');
    expect(withPending(above, { head: HEAD, runUrl })).toBe(withPending(PASSED, { head: HEAD, runUrl }));
  });

  it('stays as it is for its own commit', () => {
    expect(withPending(PASSED, { head: CONTEXT.head })).toBeUndefined();
  });
});
