import { describe, expect, test } from 'vitest';
import { differencesOf } from '../../../../src/measure/identical/identical.ts';
import type { BuiltEntry } from '../../../../src/runtime/built-program.ts';

const file = (text: string): BuiltEntry => ({ kind: 'file', text });
const FOLDER: BuiltEntry = { kind: 'folder', text: '755' };
const link = (target: string): BuiltEntry => ({ kind: 'other', text: target });
const BASE = new Map([
  ['/app', FOLDER],
  ['/app/main.py', file('a')],
  ['/app/README.md', file('b')],
]);

describe('differencesOf', () => {
  test.each([
    ['nothing', [], { base: [], head: [] }],
    ['a changed file', [['/app/README.md', file('c')]], { base: ['/app/README.md'], head: ['/app/README.md'] }],
    [
      'new files in a new folder',
      [
        ['/app/docs', FOLDER],
        ['/app/docs/a.md', file('d')],
      ],
      { base: [], head: ['/app/docs/a.md'] },
    ],
    ['a link', [['/app/current', link('v2')]], undefined],
    ['a file that became a link', [['/app/main.py', link('other.py')]], undefined],
    ['rights of a folder', [['/app', { kind: 'folder', text: '700' }]], undefined],
    ['settings', [['settings', link('[]')]], undefined],
    ['too many files', Array.from({ length: 501 }, (_, place) => [`/app/${place}`, file('e')]), undefined],
  ] as const)('%s', (_, changes, expected) => {
    expect(differencesOf(BASE, new Map([...BASE, ...(changes as [string, BuiltEntry][])]))).toEqual(expected);
  });

  test('a file that is gone', () => {
    const head = new Map([...BASE].filter(([path]) => path !== '/app/README.md'));

    expect(differencesOf(BASE, head)).toEqual({ base: ['/app/README.md'], head: [] });
  });
});
