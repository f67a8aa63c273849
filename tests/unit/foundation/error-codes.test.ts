import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { topicsNamed, topicsOf } from '../../../src/commands/help/topics.ts';
import { ConfigError, EnvironmentError, ERROR_CODES, MeasurementError } from '../../../src/foundation/errors.ts';

const CODES = Object.keys(ERROR_CODES);

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join('src', file), 'utf8') }));

/** Errors that pass on the code of another one, or that no other code fits: a new one gets a code of its own instead. */
const WITHOUT_CODE = [
  'commands/history/exchange.ts',
  'commands/init/init.ts',
  'commands/measure/bisect.ts',
  'github/api/github.ts',
  'github/api/github.ts',
  'measure/session/versions/words.ts',
  'measure/session/versions/words.ts',
  'measure/session/versions/words.ts',
  'measure/trial/answers.ts',
  'measure/trial/time.ts',
  'project/own-root.ts',
  'protocols/protocol.ts',
  'report/comment/state.ts',
];

/** What is made in a file without a code. */
function errorsWithoutCode(text: string): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    const isKnown =
      ts.isNewExpression(node) && /^(Config|Environment|Measurement)Error$/.test(node.expression.getText());
    count += isKnown && !/\bcode\b/.test(node.arguments?.[1]?.getText() ?? '') ? 1 : 0;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest, true));
  return count;
}

describe('the codes of errors', () => {
  it('are those that were published, each with the meaning that it had', () => {
    // People search for codes: a line of this table is never changed or removed, and a new code is a new line.
    const published = readFileSync('tests/fixtures/error-codes.csv', 'utf8').trim().split('\n').slice(1);

    expect(Object.entries(ERROR_CODES).map(([code, title]) => `${code},${title}`)).toEqual(published);
    expect(new Set(published.map((line) => line.slice(0, 'WG-104'.length))).size).toBe(published.length);
  });

  it('are three digits in order, and begin with the number of their group', () => {
    expect(CODES.filter((code) => !/^WG-[1-9]\d\d$/.test(code))).toEqual([]);
    expect(CODES.toSorted()).toEqual(CODES);
  });

  it.each(CODES)('have a section on %s with an example and the fix', (code) => {
    expect(topicsNamed(code)).toEqual([
      {
        kind: 'code',
        name: code,
        from: `docs/errors/${code.toLowerCase()}.md`,
        says: expect.objectContaining({
          title: ERROR_CODES[code as keyof typeof ERROR_CODES],
          example: expect.stringMatching(/./),
          fix: expect.stringMatching(/\.$/),
        }),
      },
    ]);
  });

  it('are no more in the documents than in the program', () => {
    expect(topicsOf('code').map(({ name }) => name)).toEqual(CODES);
  });

  it('are all given to an error', () => {
    const used = new Set(
      SOURCES.filter(({ file }) => file !== 'foundation/errors.ts').flatMap(({ text }) => text.match(/WG-\d+/g) ?? []),
    );

    const general = ['WG-100', 'WG-200', 'WG-400'];
    expect(CODES.filter((code) => !(used.has(code) || general.includes(code)))).toEqual([]);
  });

  it('stand wherever an error is made', () => {
    const found = SOURCES.filter(({ text }) => /new (?:Config|Environment|Measurement)Error\(/.test(text)).flatMap(
      ({ file, text }) => Array.from({ length: errorsWithoutCode(text) }, () => file),
    );

    expect(found.toSorted()).toEqual(WITHOUT_CODE);
  });

  it('are in every class of errors, but in two that take them from others', () => {
    const classes = SOURCES.flatMap(({ text }) => [...text.matchAll(/class (\w+) extends (\w+) \{([\s\S]*?)\n\}/g)]);
    const parents = new Map(classes.map(([, name = '', parent = '']) => [name, parent]));
    const isKnown = (name = ''): boolean => name === 'KnownError' || (name !== '' && isKnown(parents.get(name)));
    const known = classes.filter(([, name]) => name !== 'KnownError' && isKnown(name));

    expect(known.length).toBeGreaterThan(10);
    expect(
      known.filter(([, , , body = '']) => !body.includes('static override readonly code')).map(([, name]) => name),
    ).toEqual(['SeveralMistakes', 'SubjectFailure']);
  });
});

describe('the code of an error', () => {
  it('is its own, else that of its cause, else that of its class', () => {
    const cause = new ConfigError('x', { code: 'WG-104' });

    expect(new MeasurementError('x', { code: 'WG-302', cause }).code).toBe('WG-302');
    expect(new EnvironmentError('x', { cause }).code).toBe('WG-104');
    expect(new EnvironmentError('x', { cause: new Error('y') }).code).toBe('WG-200');
    expect(new ConfigError('x').code).toBe('WG-100');
  });

  it('is that of its class, if that is specific', () => {
    class Refusal extends EnvironmentError {
      static override readonly code = 'WG-503';
    }

    expect(new Refusal('x', { cause: new ConfigError('y', { code: 'WG-104' }) }).code).toBe('WG-503');
  });
});
