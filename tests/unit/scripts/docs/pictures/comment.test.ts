import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  commentPage,
  PICTURE_TEXT,
  STORED,
  shownPart,
  storedComment,
} from '../../../../../scripts/docs/pictures/comment.ts';

const COMMENT = [
  '<!-- wiregauge:comment performance -->',
  '### 🔴 Regression: it is slower',
  '',
  '|  | base |',
  '| --- | ---: |',
  '| REST, p50 | 1 ms |',
  '',
  '<details>',
  '<summary>All checks</summary>',
  '',
  '- Fix it.',
  '',
  '</details>',
  '',
  '<!-- wiregauge:results abc -->',
  '',
].join('\n');

describe('the picture of a comment', () => {
  it('is not stale; if it is, run `npm run picture` and commit what it wrote', () => {
    expect(shownPart(storedComment())).toBe(readFileSync(PICTURE_TEXT, 'utf8'));
  });

  it('shows what its text in words says: the headline, and change, base and head of each regression', () => {
    expect(shownPart(storedComment())).toMatch(
      /^### 🔴 Regression: .*\n\n.* regressed .*\n\n\| {2}\| change \| base → head \|\n/,
    );
  });

  it('shows the verdict and the titles of folds, and nothing that is hidden', () => {
    expect(shownPart(COMMENT)).toBe(
      '### 🔴 Regression: it is slower\n\n|  | base |\n| --- | ---: |\n| REST, p50 | 1 ms |\n\n> All checks\n',
    );
  });

  it('is taken of a page with its table and closed folds', () => {
    const page = commentPage(COMMENT);

    expect(page).toMatch(/<h3><span class="red" [^>]*><\/span> Regression: it is slower/);
    expect(page).toContain('<td>REST, p50</td>');
    expect(page).toMatch(/<details>\s*<summary>All checks<\/summary>\s*<ul>/);
    expect(page).not.toMatch(/<details open|src=|https?:/);
  });
});

describe('the run of the picture', () => {
  const text = gunzipSync(readFileSync(STORED)).toString('utf8');

  it('compares two commits', () => {
    const { base, head } = JSON.parse(text).rounds;

    expect(base.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(head.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(head.commit).not.toBe(base.commit);
    expect([base.dirty, head.dirty]).toEqual([false, false]);
  });

  it('names no folder of a machine', () => {
    expect(text).not.toMatch(/\/(home|root|tmp|work|Users)\b/);
  });
});
