import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildSite } from '../../scripts/build-site.ts';
import { reportPageFile } from '../../scripts/generated/report-page.ts';

/** Methods that Firefox 115, Chrome 111 or Safari 16.4 lack; the types of `Map.groupBy` are there for modules that Node.js also runs. */
const NEWER =
  /\.(?:groupBy|fromAsync|toWellFormed|isWellFormed|withResolvers|isSubsetOf|symmetricDifference)\b|Promise\.try|RegExp\.escape|Symbol\.(?:asyncD|d)ispose|Iterator\.from/g;

test('the trend page and the reports call no method that a supported browser lacks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wiregauge-targets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await buildSite(folder);

  const scripts = [readFileSync(join(folder, 'page.js'), 'utf8'), await reportPageFile()];

  expect(scripts.map((script) => script.match(NEWER) ?? [])).toEqual([[], []]);
});
