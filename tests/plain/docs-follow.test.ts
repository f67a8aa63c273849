import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guides } from '../support/docs-blocks.ts';
import { type Follower, follower } from './docs-follow.ts';

describe('following the documents', () => {
  let reader: Follower;

  beforeAll(async () => {
    reader = follower();
    await reader.follow('docs/tutorial.md');
  });
  afterAll(() => reader.remove());

  it('has a red comparison after the tutorial, and the change that fixes it', () => {
    expect(reader.read('out/report.md')).toContain('Regression');
    expect(reader.read('server.js')).toContain('items.sort(');
  });

  it('has a run.json of which the reference explains every key', () => {
    const run = JSON.parse(reader.read('out/run.json'));
    const text = readFileSync('docs/run-json.md', 'utf8');
    const [, file = '', sample = '', comparison = ''] = text.split(/^## .*$/m);
    const explained = (section: string) =>
      [...section.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, keys = '']) => keys.match(/\w+/g));

    expect(explained(file)).toEqual(expect.arrayContaining(Object.keys(run)));
    expect(explained(sample)).toEqual(expect.arrayContaining(Object.keys(run.samples[0])));
    expect(explained(comparison)).toEqual(expect.arrayContaining(Object.keys(run.rounds)));
  });

  it.each(guides())('gets through %s after it', async (guide) => {
    const other = reader.copy();
    try {
      await other.follow(guide);
    } finally {
      other.remove();
    }
  });
});

describe('a document that is wrong', () => {
  const block = (above: string, text: string) => `${above}\n\n\`\`\`sh\n${text}\n\`\`\`\n`;

  it.each([
    ['ends in another way', block('', 'echo said; false'), /x\.md:3 ended otherwise:\nsaid/],
    ['ends well where a failure is said', block('<!-- exits 1 -->', 'true'), /x\.md:3 ended otherwise/],
    ['prints something else', block('<!-- prints: this -->', 'echo that'), /x\.md:3.*'that/s],
    ['fails in the middle', block('', 'false\ntrue'), /x\.md:3 ended otherwise/],
    ['calls what is not there', block('', 'npx something-else'), /x\.md:3 ended otherwise/],
  ])('is reported if it %s', async (_what, text, message) => {
    const reader = follower();
    try {
      await expect(reader.follow('x.md', text)).rejects.toThrow(message);
    } finally {
      reader.remove();
    }
  });
});
