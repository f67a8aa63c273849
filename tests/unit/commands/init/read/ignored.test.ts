import { expect, test } from 'vitest';
import { missingIgnores, withIgnores } from '../../../../../src/commands/init/read/places.ts';

const files = (...paths: readonly string[]) => paths.map((path) => ({ path, text: '' }));

test.each([
  ['', [], ['out/']],
  ['', ['package.json', 'api/package.json'], ['out/', 'node_modules/']],
  ['out\n/node_modules\n', ['package.json'], []],
  ['**/out/\nnode_modules/**\n', ['package.json'], []],
  ['# out/\nlayout/\n!out/\n', [], ['out/']],
  ['out/\n', ['composer.json'], ['vendor/']],
  ['out/*\r\n', ['pyproject.toml', 'requirements.txt'], ['.venv/', '__pycache__/']],
])('a .gitignore of %j with %j lacks %j', (text, paths, lacking) => {
  expect(missingIgnores(text, files(...paths))).toEqual(lacking);
});

test.each(['', 'dist/', 'dist/\n'])('lines are added to %j as lines of their own', (text) => {
  const added = withIgnores(text, ['out/']);

  expect(added.split('\n').filter((line) => line !== '')).toEqual([...(text === '' ? [] : ['dist/']), 'out/']);
  expect(missingIgnores(added, [])).toEqual([]);
});
