import { expect, test } from 'vitest';
import { addressOnSite, brokenLinks } from '../../../../scripts/docs/links.ts';
import { documents } from '../../../support/docs-blocks.ts';

test('there are documents', () => {
  expect(documents()).toEqual(
    expect.arrayContaining(['README.md', 'docs/config.md', 'docs/how-to/tls.md', 'examples/minimal/README.md']),
  );
});

test.each(documents())('no link of %s leads nowhere', (file) => {
  expect(brokenLinks(file)).toEqual([]);
});

const TEXTS = new Map([
  ['docs/a.md', '# A\n\n## `b` and: C\n\n## Twice\n\n## Twice\n'],
  ['docs/images/x.png', ''],
  ['docs', ''],
]);

test.each([
  ['[a](a.md) ![x](images/x.png) [folder](.) [b](a.md#b-and-c) [t](a.md#twice-1) [o](https://example.org/x#y)', []],
  ['[a](b.md)', ['docs/t.md:1: b.md is not a file']],
  ['text\n\n![x](images/y.png)', ['docs/t.md:3: images/y.png is not a file']],
  ['[a](a.md#c)', ['docs/t.md:1: a.md#c leads to no heading']],
  ['[a](a.md#twice-2)', ['docs/t.md:1: a.md#twice-2 leads to no heading']],
  ['[a](#own)', ['docs/t.md:1: #own leads to no heading']],
  ['[a](../../x.md)', ['docs/t.md:1: ../../x.md is not a file']],
  ['[a](http://example.org)', ['docs/t.md:1: http://example.org is not an address']],
  ['[a](https://localhost/x)', ['docs/t.md:1: https://localhost/x is not an address']],
])('%s', (text, broken) => {
  expect(brokenLinks('docs/t.md', { textOf: (path) => (path === 'docs/t.md' ? text : TEXTS.get(path)) })).toEqual(
    broken,
  );
});

const BLOB = 'https://github.com/wiregauge/wiregauge/blob/main/';

test.each([
  ['docs/a.md', 'b.md#c', 'b.md#c'],
  ['docs/how-to/a.md', '../b.md', '../b.md'],
  ['docs/a.md', '#c', '#c'],
  ['docs/a.md', '../README.md#x', `${BLOB}README.md#x`],
  ['docs/how-to/a.md', '../../examples/tls/', `${BLOB}examples/tls`],
  ['docs/a.md', 'https://example.org/a.md', 'https://example.org/a.md'],
])('on the page of %s, %s is %s', (file, target, address) => {
  expect(addressOnSite(target, file)).toBe(address);
});
