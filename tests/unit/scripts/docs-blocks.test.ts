import { describe, expect, it } from 'vitest';
import { blocksOf, documents, guides } from '../../support/docs-blocks.ts';
import { checkedYaml, complaintOf } from '../../support/docs-yaml.ts';
import { reachedCommand } from '../../support/reached-command.ts';

const blocks = documents().flatMap((file) => blocksOf(file));

describe('YAML in the documents', () => {
  const yaml = blocks.filter(({ language }) => language === 'yaml');

  it('is a configuration, a part of one, or a workflow, and would be taken as that', () => {
    expect(yaml.map(complaintOf).filter((complaint) => complaint !== '')).toEqual([]);
  });

  it('is of every kind', () => {
    const kinds = new Set(yaml.map(checkedYaml));

    expect([...kinds].sort()).toEqual([
      'acceptances',
      'configuration',
      'family of services',
      'part of one',
      'permissions',
      'pipeline',
      'workflow',
    ]);
  });

  it.each([
    ['services: { api: { protcol: rest } }', /protcol/],
    [
      'services: { api: { protocol: rest, port: 1 } }\noperations: [{ name: a, rest: GET / }]',
      /needs one of image, process/,
    ],
    ['rest: GET /\nfeed: { fill: x.csv }', /fill/],
    ['policy: { budgets: [{ metric: p95, atmost: 3 }] }', /atmost/],
    ['- { cell: a/b/c, metric: cpu, upTo: 5 }', /upTo/],
    ['jobs: { a: { steps: [{ uses: wiregauge/wiregauge@v1, with: { budgt: 3m } }] } }', /no input budgt/],
    ['- { uses: wiregauge/wiregauge@v1, with: { mode: comare } }', /no mode comare/],
    [
      'jobs: { a: { uses: wiregauge/wiregauge/.github/workflows/benchmark.yml@v1, with: { mode: run } } }',
      /no input mode/,
    ],
  ])('would be refused with a mistake: %s', (text, complaint) => {
    const [block] = blocksOf('docs/x.md', `\`\`\`yaml\n${text}\n\`\`\`\n`);

    expect(block && complaintOf(block)).toMatch(complaint);
  });
});

describe('calls in the documents', () => {
  /** What stands behind a call: a comment, words, or another program. */
  const BEHIND = /\s+#.*|\s{2,}.*|\s*[|>].*/;
  const calls = blocks
    .filter(({ language }) => ['', 'sh', 'yaml'].includes(language))
    .flatMap(({ file, line, text }) =>
      [
        ...text.matchAll(/^(?: *- (?:test [^|]*\|\| )?)?(?:[A-Z_]+=\S+ )*(?:npx )?(?:--yes )?wiregauge ([^\n]*)$/gm),
      ].map(([, call = '']) => ({
        place: `${file}:${line}`,
        call: call.replace(BEHIND, ''),
      })),
    )
    .filter(({ call }) => call !== '--help');

  it('are many', () => {
    expect(calls.length).toBeGreaterThan(60);
  });

  it.each(calls)('are taken by the program: $call ($place)', async ({ call }) => {
    expect(await reachedCommand(call)).toBeDefined();
  });
});

describe('the comments above a block', () => {
  const above = (comment: string) => blocksOf('docs/x.md', `${comment}\n\n\`\`\`sh\ntrue\n\`\`\`\n`)[0];

  it('say how it ends, what it prints, and why it is not run', () => {
    expect(above('<!-- exits 1; prints: It is: so -->')).toMatchObject({
      exits: 1,
      prints: 'It is: so',
      notRun: undefined,
    });
    expect(above('<!-- not run: it needs a remote -->')).toMatchObject({ exits: 0, notRun: 'it needs a remote' });
    expect(above('<!-- file: a/b.yml -->')).toMatchObject({ writes: 'a/b.yml' });
    expect(above('text')).toMatchObject({ exits: 0, prints: undefined, notRun: undefined });
  });

  it('say nothing else', () => {
    expect(() => above('<!-- exit: 1 -->')).toThrow('docs/x.md: "<!-- exit: 1 -->" says nothing');
  });

  it('say a reason for each of the few blocks of a guide that are not run', () => {
    const all = ['docs/tutorial.md', ...guides()].flatMap((file) =>
      blocksOf(file).filter(({ language }) => language === 'sh'),
    );
    const left = all.filter(({ notRun }) => notRun !== undefined);

    expect(left.length).toBeLessThan(all.length / 2);
    expect(left.map(({ file }) => file)).toHaveLength(16);
    for (const { notRun } of left) {
      expect(notRun).toMatch(/^(it|there) \w+ .{8,}/);
    }
  });
});
