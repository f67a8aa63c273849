import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { readDocument } from '../../../scripts/docs/document.ts';
import { documentAddress } from '../../../src/foundation/text.ts';

const [, owner = '', name = ''] = /github\.com\/([^/]+)\/([^/#]+)/.exec(packageFile.homepage) ?? [];

it('leads to the folder in which the workflow publishes the documents of the repository of package.json', () => {
  expect(readFileSync('.github/workflows/docs.yml', 'utf8')).toContain('cp -R ../docs docs');
  expect(documentAddress('docs/config.md#presets')).toBe(`https://${owner}.github.io/${name}/docs/config.html#presets`);
  expect(documentAddress('docs/how-to/forks.md')).toBe(`https://${owner}.github.io/${name}/docs/how-to/forks.html`);
});

/** The lines of the program, without comments. */
const lines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => readFileSync(`src/${path}`, 'utf8').split('\n'))
  .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));

it('is what messages give: a document and a heading that exist, and no path of a file that users do not have', () => {
  const places = lines.flatMap((line) => [...line.matchAll(/\bdocs\/[\w/-]+\.md(#[\w-]+)?/g)].map(([place]) => place));
  const bare = lines.filter(
    (line) =>
      /\b(docs|examples)\/[\w-]|blob\/main|see tools\//.test(line) && !/documentAddress\(|document: |from: /.test(line),
  );

  expect(places.length).toBeGreaterThan(8);
  expect(places.filter((place) => !exists(place))).toEqual([]);
  expect(bare).toEqual([]);
});

function exists(place: string): boolean {
  const [file = '', anchor] = place.split('#', 2);
  return (
    existsSync(file) &&
    (anchor === undefined || readDocument(readFileSync(file, 'utf8')).headings.some(({ id }) => id === anchor))
  );
}
