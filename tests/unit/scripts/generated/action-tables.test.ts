import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { withTables } from '../../../../scripts/generated/action-tables.ts';
import { errorMessages } from '../../../../scripts/generated/messages.ts';
import { reportPageFile } from '../../../../scripts/generated/report-page.ts';
import { topicsFile } from '../../../../scripts/generated/topics.ts';
import { workflowsFile } from '../../../../scripts/generated/workflows.ts';
import { INPUTS } from '../../../../src/commands/action/inputs.ts';

const action = readFileSync('action.yml', 'utf8');
const document = readFileSync('docs/action.md', 'utf8');

test('the tables of docs/action.md are those of action.yml: `npm run readme` writes them', () => {
  expect(withTables(document, action)).toBe(document);
  expect(document).toMatch(/^\| `budget` +\| /m);
  expect(document).toMatch(/^\| `regressions` +\| /m);
});

test('the program knows the inputs of action.yml and no others', () => {
  expect(Object.keys(parse(action).inputs).sort()).toEqual(Object.keys(INPUTS).sort());
});

test('the texts of inputs have no expressions, with which a runner refuses the whole action', () => {
  expect(Object.values(parse(action).inputs).filter((input) => JSON.stringify(input).includes('${{'))).toEqual([
    expect.objectContaining({ default: '${{ github.token }}' }),
  ]);
});

test('a table is between its marks, and replaces the former content', () => {
  const marks = (between: string) => `a\n<!-- action.yml: outputs (x) -->\n${between}<!-- end -->\nb`;
  const filled = withTables(marks('\nold\n'), action);
  expect(filled).not.toContain('old');
  expect(withTables(filled, action)).toBe(filled);
  expect(() => withTables(marks('\n'), 'inputs: 3')).toThrow();
});

test('what `wiregauge explain` knows is what the documents say: `npm run readme` copies it', () => {
  const topics = topicsFile((file) => readFileSync(file, 'utf8'), errorMessages());

  expect(topics).toBe(readFileSync('generated/explain-topics.json', 'utf8'));
});

test('the style and the script of an HTML report are those of site/report: `npm run readme` bundles them', async () => {
  expect(await reportPageFile()).toBe(readFileSync('generated/report-page.json', 'utf8'));
});

test('the workflows of `wiregauge init` are those of the examples: `npm run readme` copies them', () => {
  const workflows = workflowsFile();
  const command = readFileSync('examples/fork-safe/.github/workflows/performance-command.yml', 'utf8');

  expect(workflows).toBe(readFileSync('generated/workflows.json', 'utf8'));
  expect(JSON.parse(workflows)['performance-command']).toBe(command);
});

test('topics come from the tables below their headings', () => {
  const table = (name: string, first = 'a') =>
    `| ${first} | when |\n| --- | --- |\n| \`${name}\` | see [it](x.md), or \\| not |\n`;
  const headings = [
    'The verdict',
    'Against stored runs',
    'Coverage',
    'Outcomes',
    'Exit codes',
    'Marks',
    'Glossary',
    'Environment variables',
  ];
  const messages = `## Elsewhere\n\n${table('other')}\n${table('it failed', 'message')}`;
  const text = [...headings.map((heading) => `## ${heading}\n\n${table(heading)}`), messages].join('\n');

  const { topics } = JSON.parse(topicsFile(() => text));

  expect(topics[0]).toEqual({
    kind: 'verdict',
    name: 'The verdict',
    from: 'docs/statistics.md#the-verdict',
    says: { when: 'see it, or | not' },
  });
  expect(topics.filter(({ kind }: { kind: string }) => kind === 'message')).toMatchObject([{ name: 'it failed' }]);
  expect(() => topicsFile((file) => (file === 'docs/glossary.md' ? '# Glossary' : text))).toThrow(
    /glossary\.md has no table/,
  );
});
