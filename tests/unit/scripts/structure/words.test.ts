import { describe, expect, test } from 'vitest';
import { hitsOf, loweredBaseline, wordMistakes } from '../../../../scripts/structure/words.ts';

const hitsIn = (path: string, text: string) => hitsOf({ path, text }).map(({ line, phrase }) => `${line}: ${phrase}`);

describe('phrases to avoid in a document', () => {
  test.each([
    'where there',
    'where it',
    'where they',
    'where one',
    'where no',
    'where nobody',
    'where that',
    'where this',
    'where nothing',
    'where those',
    'where another',
    'where several',
    'empty where',
    'stops where',
    'also where',
    'except where',
    'so many',
    'cannot be told',
    'cannot be had',
    'is none',
    'mend',
    'mended',
    'whoever',
    'by what',
    'what is left',
    'is no key',
    'is no field',
    'slower within the limit',
    'only watched',
    'seen from',
    'look whether',
    'held against',
    'users who think',
  ])('has "%s"', (phrase) => {
    expect(hitsIn('docs/cli.md', `Text, ${phrase} (more).`)).toEqual([`1: ${phrase}`]);
  });

  test.each(['recommend', 'amended', 'where its', 'somewhere it', 'where the', 'is nonempty', 'so manyfold'])(
    'does not have "%s"',
    (phrase) => {
      expect(hitsIn('docs/cli.md', `Text, ${phrase} (more).`)).toEqual([]);
    },
  );

  test.each([
    ['Where a tier has two operations, the noisier one is shown.', 1],
    ['It fails. Where a service asks for it, nothing does.', 1],
    ['- Where services differ, both are shown.', 1],
    ['| `runtime` | Where services run, once they are built. |', 0],
    ['Where services run: `docker`, `process`.', 0],
    ['A tier where queues are long, or short.', 0],
  ])('has a condition that begins with "where", and no question: %s', (text, hits) => {
    expect(hitsIn('docs/cli.md', text)).toHaveLength(hits);
  });

  test('are found without regard to case and over the end of a line, in order of lines', () => {
    expect(hitsIn('README.md', 'One\nMend it, or where\n  nobody can.\nWhere it is')).toEqual([
      '2: Mend',
      '2: where nobody',
      '4: Where it',
    ]);
  });

  test('are found in what it quotes of the program', () => {
    expect(hitsIn('docs/cli.md', '```\np99 cannot be told\n```\n')).toEqual(['2: cannot be told']);
  });
});

describe('phrases to avoid in code', () => {
  test('are found in strings and templates, on the line of the phrase', () => {
    const code = [
      "const one = 'is no key';",
      'const two = `so many',
      '  and where it ${whoever} seen from ${"only watched"}`;',
      "call('first\\nMend the line');",
    ].join('\n');

    expect(hitsIn('src/one.ts', code)).toEqual([
      '1: is no key',
      '2: so many',
      '3: where it',
      '3: seen from',
      '3: only watched',
      '4: Mend',
    ]);
  });

  test('may stand in comments and names', () => {
    expect(hitsIn('src/one.ts', '/** Where it is, by what. */\nconst mend = whoever; // so many\n')).toEqual([]);
  });

  test('do not reach from one string into the next', () => {
    expect(hitsIn('src/one.ts', "const texts = ['where',\n  'it'];")).toEqual([]);
  });
});

describe('conditions in comments', () => {
  test.each([
    '/** The id; undefined where it has none. */',
    '/** Throws ConfigError, naming the file, where a service is unknown. */',
    '/** `truncated` where its end is missing. */',
    '/** Only where files changed. */',
    '// Where others have operations of their own, it has nothing.',
    '/**\n * The rest. Where several made one each, the oldest\n * stays, and the others go.\n */',
    '/** The exit code: 130 where\n * it was interrupted. */',
    '/** An answer where nobody asked. */',
  ])('are found: %s', (comment) => {
    expect(hitsIn('src/one.ts', `const one = 1;\n${comment}\n`)).toEqual([expect.stringMatching(/^[23]: .*where/i)]);
  });

  test.each([
    '/** Where it is placed, and by what. */',
    '/** Says where they lie, and what is there. */',
    '/** The folder where it is kept; undefined if there is none. */',
    "call('undefined where the place is');",
    'const where = 1;',
  ])('are not what tells a place, nor in code or strings: %s', (code) => {
    expect(hitsIn('src/one.ts', code)).toEqual([]);
  });

  test.each([
    ['services/a/b.py', 'def a():\n    """Return a number; 0 where it is unset."""\n', ['2: 0 where']],
    ['services/a/b.go', '// b is NOT_FOUND where\n// it has another id.\n', ['1: NOT_FOUND where']],
    ['services/a/b.java', '// It is so many, and where it is.\nString mend;\n', []],
    ['services/a/b.rs', 'fn a<T>() -> T\nwhere\n    T: Copy,\n', []],
  ])('of a service in any language are found in %s', (path, text, hits) => {
    expect(hitsIn(path, text)).toEqual(hits);
  });
});

describe('the recorded number of phrases', () => {
  const file = (path: string, hits: number) => ({ path, text: 'so many\n'.repeat(hits) });

  test('allows a file what it had', () => {
    expect(wordMistakes([file('docs/a.md', 2), file('docs/b.md', 0)], { 'docs/a.md': 2 })).toEqual([]);
  });

  test('allows no more, and shows all with their lines', () => {
    const what = 'avoid "so many" (phrases to avoid in this file: 2, allowed: 1)';
    const fix = 'Write the number, or "number of ..."';

    expect(wordMistakes([file('docs/a.md', 2)], { 'docs/a.md': 1 })).toEqual([
      { place: 'docs/a.md', line: 1, what, fix },
      { place: 'docs/a.md', line: 2, what, fix },
    ]);
  });

  test('is zero for a new file', () => {
    expect(wordMistakes([file('docs/new.md', 1)], {})).toMatchObject([{ place: 'docs/new.md', line: 1 }]);
  });

  test('is too high once a file has fewer, or is gone', () => {
    expect(wordMistakes([file('docs/a.md', 1)], { 'docs/a.md': 2, 'docs/gone.md': 1 })).toEqual([
      {
        place: 'scripts/words-baseline.json',
        what: 'fewer phrases to avoid than recorded in docs/a.md, docs/gone.md',
        fix: 'Run `npm run words` and commit scripts/words-baseline.json',
      },
    ]);
  });

  test('is only ever lowered, and left out at zero', () => {
    const files = [file('docs/more.md', 3), file('docs/fewer.md', 1), file('docs/none.md', 0), file('docs/new.md', 1)];
    const recorded = { 'docs/more.md': 2, 'docs/fewer.md': 2, 'docs/none.md': 2, 'docs/gone.md': 2 };

    expect(loweredBaseline(files, recorded)).toEqual({ 'docs/fewer.md': 1, 'docs/more.md': 2 });
  });

  test('begins with what is there, in order of paths', () => {
    const begun = loweredBaseline([file('docs/b.md', 2), file('docs/a.md', 1), file('docs/c.md', 0)], undefined);

    expect(Object.entries(begun)).toEqual([
      ['docs/a.md', 1],
      ['docs/b.md', 2],
    ]);
  });
});
