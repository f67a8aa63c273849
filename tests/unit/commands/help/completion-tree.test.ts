import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { completionTree } from '../../../../src/commands/help/tree.ts';
import { commandLine } from '../../../../src/commands/program/program.ts';

const tree = completionTree(commandLine(() => undefined));
const at = (path: string) => tree.find((one) => one.path === path);
const valuesOf = (path: string, flag: string) => at(path)?.flags.find((one) => one.flag === flag)?.values;

test.each([
  ['compare', '--suite', { kind: 'suites' }],
  ['plan', '--services', { kind: 'services' }],
  ['compare', '--base', { kind: 'refs' }],
  ['judge', '--policy', { kind: 'files' }],
  ['judge', '--base', { kind: 'files' }],
  ['run', '--out', { kind: 'folders' }],
  ['run', '--runtime', { kind: 'words', words: ['auto', 'docker', 'process', 'both'] }],
  ['run', '--seed', { kind: 'free' }],
  ['run', '--json', undefined],
  ['history import', '--format', expect.objectContaining({ kind: 'words' })],
])('%s %s takes %j', (path, flag, values) => {
  expect(valuesOf(path, flag)).toEqual(values);
});

test('commands follow commands, and files or words what takes them', () => {
  expect(at('history')?.commands.map(({ path }) => path)).toContain('history thin');
  expect(at('report')?.values).toEqual({ kind: 'files' });
  expect(at('completion')?.values).toEqual({ kind: 'words', words: ['bash', 'zsh', 'fish'] });
  expect(at('explain')?.values).toMatchObject({ kind: 'words', words: expect.arrayContaining(['regressed', 'p99']) });
});

test('a hidden flag is not offered', () => {
  const program = new Command('x').addOption(new Option('--secret <file>').hideHelp()).option('--open <file>');

  expect(completionTree(program)[0]?.flags.map(({ flag }) => flag)).toEqual(['--open', '--help']);
});
