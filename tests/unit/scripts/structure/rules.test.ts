import { describe, expect, test } from 'vitest';
import {
  crowdedFolders,
  detours,
  emptyNames,
  longFiles,
  repeatedExports,
  sharedPrefixes,
} from '../../../../scripts/structure/rules.ts';

const filesIn = (folder: string, names: readonly string[]) => names.map((name) => `${folder}/${name}.ts`);
const letters = (count: number) => Array.from({ length: count }, (_, place) => String.fromCharCode(97 + place));

describe('entries of a folder', () => {
  test('allows fifteen', () => {
    expect(crowdedFolders(filesIn('src/load', letters(15)))).toEqual([]);
  });

  test('refuses sixteen, and says what to do', () => {
    expect(crowdedFolders(filesIn('src/load', letters(16)))).toEqual([
      {
        place: 'src/load/',
        what: '16 entries, at most 15 are allowed',
        fix: 'Move files that belong together into a subfolder, or merge small ones',
      },
    ]);
  });

  test('counts a subfolder once, however many files it has', () => {
    const paths = [...filesIn('src/load', letters(14)), ...filesIn('src/load/ghz', letters(15))];

    expect(crowdedFolders(paths)).toEqual([]);
    expect(crowdedFolders([...paths, 'src/load/vegeta/gob.ts'])).toMatchObject([{ place: 'src/load/' }]);
  });

  test('counts files that are not TypeScript', () => {
    expect(crowdedFolders([...filesIn('src/load', letters(15)), 'src/load/topics.json'])).toHaveLength(1);
  });

  test('counts the entries of src, and has no limit for other folders', () => {
    expect(crowdedFolders(filesIn('src', letters(16)))).toMatchObject([{ place: 'src/' }]);
    expect(crowdedFolders(filesIn('scripts', letters(20)))).toEqual([]);
  });
});

describe('names of files', () => {
  test('refuses those that leave open what is inside', () => {
    expect(emptyNames(['src/load/read.ts', 'src/load/reader.ts', 'scripts/read.ts'])).toEqual([
      {
        place: 'src/load/read.ts',
        what: 'its name does not describe its contents',
        fix: 'Name it after what it exports',
      },
    ]);
  });
});

describe('siblings with one prefix', () => {
  test('allows two', () => {
    expect(sharedPrefixes(['src/host/proc.ts', 'src/host/proc-files.ts'])).toEqual([]);
  });

  test.each([
    [['api-x.ts', 'api-y.ts', 'api-z.ts']],
    [['entry.ts', 'entry-of.ts', 'entry-fields.ts']],
    [['html', 'html.ts', 'html-style.ts']],
    [['explain.ts', 'explain-topics.json', 'explain-words-of.ts']],
  ])('refuses %j', (names) => {
    const [prefix] = /^[a-z]+/.exec(names[0] ?? '') ?? [];

    expect(sharedPrefixes(names.map((name) => `src/host/machine/${name}`))).toEqual([
      {
        place: 'src/host/machine/',
        what: `3 siblings share the prefix "${prefix}": ${names.toSorted().join(', ')}`,
        fix: `Move them into the folder src/host/machine/${prefix}/, or give them names of their own`,
      },
    ]);
  });

  test('compares whole words', () => {
    expect(sharedPrefixes(filesIn('src/host', ['proc', 'process', 'processes-x']))).toEqual([]);
  });

  test.each(['src', 'scripts', 'scripts/docs'])('looks at %s itself, too', (folder) => {
    expect(sharedPrefixes(filesIn(folder, ['run-a', 'run-b', 'run-c']))).toMatchObject([{ place: `${folder}/` }]);
  });

  test('exempts the index and the file that is named after its folder', () => {
    expect(sharedPrefixes(filesIn('src/runtime/docker', ['docker', 'docker-load', 'docker-needs']))).toEqual([]);
    expect(sharedPrefixes(filesIn('src/history/store', ['index', 'index-file', 'index-head']))).toEqual([]);
  });

  test('does not compare files of different folders, nor those elsewhere', () => {
    expect(sharedPrefixes(['src/a/run-x.ts', 'src/b/run-y.ts', 'src/c/run-z.ts'])).toEqual([]);
    expect(sharedPrefixes(filesIn('bench', ['docs-x', 'docs-y', 'docs-z']))).toEqual([]);
  });
});

describe('lines of a file', () => {
  test('names files with more than 250, the longest first', () => {
    const lines = (count: number) => ({ path: `bench/${count}.ts`, text: 'line\n'.repeat(count) });

    expect(longFiles([lines(250), lines(251), lines(300)])).toEqual(['bench/300.ts (300)', 'bench/251.ts (251)']);
  });
});

describe('exported names', () => {
  const inTwoFiles = (one: string, other: string) =>
    repeatedExports([
      { path: 'src/one.ts', text: one },
      { path: 'src/other.ts', text: `\n${other}` },
    ]);

  test.each([
    'export function place(): void {}',
    'export class place {}',
    'export type place = string;',
    'export interface place {}',
    'export async function* place() {}',
  ])('are declared once, which "%s" breaks', (other) => {
    expect(inTwoFiles('export const place = 1;', other)).toEqual([
      {
        place: 'src/other.ts',
        line: 2,
        what: '`place` is already exported by src/one.ts:1',
        fix: 'Rename one of the two, or import the other',
      },
    ]);
  });

  test.each([
    "export { place } from './one.ts';",
    "export * from './one.ts';",
    'const place = 2;',
    'export const other = () => {\n  const place = 2;\n};',
  ])('may be exported again or used inside of another file: "%s"', (other) => {
    expect(inTwoFiles('export const place = 1;', other)).toEqual([]);
  });

  test('may be a type and a value of one file, or a function with overloads', () => {
    const text =
      'export const Place = 1;\nexport type Place = number;\nexport function a(x: 1): 1;\nexport function a(x) {}';

    expect(repeatedExports([{ path: 'src/one.ts', text }])).toEqual([]);
  });

  test('are all reported at once', () => {
    const text = 'export const one = 1;\nexport const two = 2;\n';

    expect(inTwoFiles(text, text).map(({ line }) => line)).toEqual([2, 3]);
  });
});

describe('the only way', () => {
  const found = (text: string, path = 'src/judge/a.ts') =>
    detours([{ path, text: `${text}\n` }]).map(({ fix }) => fix.split(' ')[0]);

  test.each([
    "import { readFileSync } from 'node:fs';",
    "import { existsSync, readFileSync as read } from 'node:fs';",
    "import {\n  existsSync,\n  readFile,\n} from 'node:fs/promises';",
    "import { open } from 'node:fs/promises';",
    "import { createReadStream, existsSync } from 'node:fs';",
    "import * as fs from 'node:fs';",
    "import fs from 'node:fs';",
    "const fs = await import('node:fs');",
    "import { copyFile } from 'node:fs/promises';",
  ])('into a file is the reader: %j', (text) => {
    expect(found(text)).toEqual(['Read']);
    expect(found(text, 'src/host/files/reader.ts')).toEqual([]);
  });

  test.each([
    "import { existsSync, readdirSync, readlinkSync } from 'node:fs';\nimport { readFile } from './a.ts';",
    "import { readdir } from 'node:fs/promises';\nimport fs from 'fast';",
    "import type { Stats } from 'node:fs';",
  ])('into a file is not taken by %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  test.each([
    "process.stdout.write('a');",
    'console.log(1);',
    'const { stderr } = process;',
    "process.emitWarning('a');",
    "writeSync(1, 'a');",
    "import { getState, warning } from '@actions/core';",
  ])('out to the log is the writer: %j', (text) => {
    expect(found(text)).toEqual(['Print']);
    expect(found(text, 'src/host/terminal/output.ts')).toEqual([]);
  });
});
