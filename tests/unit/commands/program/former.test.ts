import { expect, test } from 'vitest';
import { renamed } from '../../../../src/commands/program/former.ts';

test.each([
  ['plan --json', 'shards plan --json', ['plan', 'shards plan']],
  ['help merge', 'help shards merge', ['merge', 'shards merge']],
  ['publish-note run.json', 'publish --to note run.json', ['publish-note', 'publish --to note']],
  ['compare --stored history', 'compare --against history', ['--stored', '--against']],
  ['compare --stored=none --json', 'compare --against=none --json', ['--stored', '--against']],
  ['run --gate history --json', 'run --fail-on regression --json', ['--gate history', '--fail-on regression']],
  ['run --gate=history', 'run --fail-on regression', ['--gate history', '--fail-on regression']],
])('%s becomes %s', (given, words, change) => {
  expect(renamed(given.split(' '))).toEqual({ argv: words.split(' '), changes: [change] });
});

test('a former command can have a former option', () => {
  const { argv, changes } = renamed(['publish-fork-comment', '--stored', 'history']);
  expect(argv).toEqual(['github', 'fork-comment', '--against', 'history']);
  expect(changes).toHaveLength(2);
});

test.each(['run --gate other', 'compare --base plan', 'history list --last 5', 'constructor', ''])(
  '%j stays unchanged',
  (given) => {
    const argv = given.split(' ').filter((word) => word !== '');
    expect(renamed(argv)).toEqual({ argv, changes: [] });
  },
);
