import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentAddress } from '../../../../src/foundation/text.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Run, RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { resultsIn } from '../../../../src/report/comment/state.ts';
import { commentWith } from '../../../support/hostile-comment.ts';
import { HOSTILE } from '../../../support/hostile-run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

/** Pieces that mean something to Markdown, HTML, GitHub or a terminal. */
const PIECES = [
  '@someone',
  '@org/team',
  '#12',
  'shop#3',
  'GH-4',
  'https://evil.example',
  'www.evil.example',
  'me@evil.example',
  '[a](https://evil.example)',
  '![a](b)',
  '<img src=x onerror=alert(1)>',
  '<script>',
  '</details>',
  '</summary>',
  '<!--',
  '-->',
  '<!-- wiregauge:results W10 -->',
  '|',
  '\\|',
  '\\',
  '`',
  '```',
  '**',
  '__',
  '~~',
  '$x$',
  '\n',
  '\r\n\r\n',
  '\n# title\n',
  '\n- item',
  '\n    code',
  '&lt;',
  '&#64;someone',
  '\u0000',
  '\u001b[31m',
  '\u202e',
  '\ud83d',
  '\udc00',
  '😀',
  'word',
  ' ',
];

const CONTEXT = { id: 'performance', head: '1df183b', finishedAt: '2026-11-21T01:02:03Z', links: {}, earlier: [] };

const forged = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 12 })
  .map((parts) => `x${parts.join('')}`);

/** The comment without what is ours: marker, results, folds, and links to where the caller said. */
function foreignPart(body: string): string {
  return body
    .replace(/^<!-- wiregauge:comment performance -->\n/, '')
    .replace(/\n<!-- wiregauge:results [\w-]+ -->\n$/, '')
    .replaceAll(/^<\/?details>$|^<summary>[^<]*<\/summary>$/gm, '')
    .replaceAll(/<span>\$<\/span>|<br>|<\/?sub>|^> ?/gm, '')
    .replace(`[How to accept](${documentAddress('docs/how-to/accept-a-regression.md')})`, '')
    .replaceAll(/\[(?:run|Workflow run|Report|Trend)\]\(https:\/\/x\.example\/[\w\-.~:/?#@!&+,;=%]*\)/g, '')
    .replaceAll(
      /`wiregauge: accepted`|`\/wiregauge accept \d+%`|`\.wiregauge\/accepted\.yml`|`policy`|`answers: (?:fail|warn)`|`ignore`/g,
      '',
    );
}

/** What keeps a line where it is: how it begins, and its cells. */
function shapeOf(body: string): readonly string[] {
  return body.split('\n').map((line) => {
    const cells = line.split(/(?<!\\)\|/).length;
    return `${/^(?:- |\| |\*\*|<[a-z/!-]+|Head |_Left )/.exec(line)?.[0] ?? (line === '' ? '' : 'text')} ${cells}`;
  });
}

function expectNothingForeign(body: string): void {
  const foreign = foreignPart(body);
  expect(foreign).not.toMatch(/[<>]/);
  expect(foreign).not.toMatch(/@\w|#\w|GH-\d|:\/\/|www\./i);
  expect(foreign).not.toMatch(/(?<!\\)\]\(/);
  expect(foreign).not.toMatch(/(?<!\\)`|(?<!\\)~/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(foreign).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u);
}

describe('a comment with texts of strangers', () => {
  it('lets no mention, reference, link, HTML or control character through', () => {
    fc.assert(
      fc.property(forged, (text) => {
        expectNothingForeign(commentWith(text));
      }),
      { numRuns: 60, examples: [[HOSTILE]] },
    );
  });

  it('has the lines, cells and folds that it has with harmless ones', () => {
    const harmless = shapeOf(commentWith('xword', { links: {} }));

    fc.assert(
      fc.property(forged, (text) => {
        expect(shapeOf(commentWith(text, { links: {} }))).toEqual(harmless);
      }),
      { numRuns: 60, examples: [[HOSTILE]] },
    );
  });

  it.each(['GH-12', 'www.evil.example', '__init__', '-', '1.'])(
    'shows a service that is called %s as a word, in tables and titles, too',
    (name) => {
      const run = renamed(name);

      const body = comparisonComment(run, judgeRun(run), CONTEXT);

      expect(body).toContain('<summary>All checks</summary>');
      expectNothingForeign(body);
    },
  );

  it('remembers nothing that is not a commit, time or headline', () => {
    expect(resultsIn(commentWith(HOSTILE))).toEqual([]);
  });

  it('has no half of a character at any cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 320 }), fc.constantFrom('😀', '\ud83d', '\udc00'), (length, letter) => {
        expect(commentWith('x'.repeat(length) + letter.repeat(400))).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 30 },
    );
  });
});

/** A run whose REST service has another name. */
function renamed(name: string): ReturnType<typeof sampleRounds> {
  const run = sampleRounds({ rounds: 8, noise: 0.3, services: ['rest-development', 'grpc'] });
  const text = JSON.stringify(run).replaceAll('"rest-development"', JSON.stringify(name));
  const parsed: RunInRounds = JSON.parse(text);
  return { ...parsed, services: twice(parsed.services) };
}

/** With two services of a protocol, each goes by its own name. */
function twice(services: Run['services']): Run['services'] {
  return [...services, ...services.map((service) => ({ ...service, name: `${service.name}2` }))];
}
