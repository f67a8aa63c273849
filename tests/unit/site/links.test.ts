import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitUrl, runLinks, safeUrl } from '../../../site/model/links.ts';
import { aRun } from './runs.ts';

describe('safeUrl', () => {
  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JaVaScRiPt://x%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    'https://user:secret@example.com/',
    'https://',
    '',
  ])('makes no link of %j', (text) => {
    expect(safeUrl(text)).toBeUndefined();
  });

  it('leaves nothing but http and https, of any text', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.tuple(fc.string({ maxLength: 8 }), fc.string()).map(([scheme, rest]) => `${scheme}:${rest}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(safeUrl(text) ?? 'https://').toMatch(/^https?:\/\//);
      }),
    );
  });

  it('keeps a web address', () => {
    expect(safeUrl('https://example.com/a?b#c')).toBe('https://example.com/a?b#c');
  });
});

describe('links of a run', () => {
  it('go to commit, pull request, report and workflow run', () => {
    const run = aRun({
      pullRequest: 12,
      links: { run: 'https://ci.example/1', report: 'https://pages.example/r.html' },
    });

    expect(commitUrl('0123456789abcdef', 'https://github.com/example/shop/')).toBe(
      'https://github.com/example/shop/commit/0123456789abcdef',
    );
    expect(runLinks(run, 'https://github.com/example/shop')).toEqual([
      { text: 'Pull request #12', href: 'https://github.com/example/shop/pull/12' },
      { text: 'Report', href: 'https://pages.example/r.html' },
      { text: 'Workflow run', href: 'https://ci.example/1' },
    ]);
  });

  it('are not made of an invalid hash, web address or repository', () => {
    const run = aRun({ pullRequest: 12, links: { run: 'javascript:alert(1)' } });

    expect(commitUrl('../../evil', 'https://github.com/example/shop')).toBeUndefined();
    expect(commitUrl('0123456789abcdef', 'javascript:alert(1)')).toBeUndefined();
    expect(runLinks(run, undefined)).toEqual([]);
  });
});
