import { expect, test } from 'vitest';
import { sidebar } from '../../../../scripts/docs/sidebar.ts';

const INDEX = `# Index

Text with a [link](b.md) above all groups.

## Begin

- [A](a.md), [a part of B](how-to/b.md#part), [elsewhere](https://example.org/), [the code](../src)

## How to

- [B](how-to/b.md) and [A](a.md) again
`;

const TEXTS = new Map([
  ['docs/index.md', INDEX],
  ['docs/a.md', '# First\n\n# Other\n'],
  ['docs/how-to/b.md', '# `b` at work\n'],
]);

test('lists each document once, by its title, where the index names it first', () => {
  expect(sidebar(TEXTS)).toEqual([
    { text: 'Begin', items: [{ text: 'First', link: '/a' }] },
    { text: 'How to', items: [{ text: 'b at work', link: '/how-to/b' }] },
  ]);
});

test('refuses a document that no group lists', () => {
  expect(() => sidebar(new Map([...TEXTS, ['docs/b.md', '# B\n']]))).toThrow('docs/index.md does not list docs/b.md');
});
