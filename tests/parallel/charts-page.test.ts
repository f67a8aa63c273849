import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChartFile, chartsOf } from '../../src/report/charts/files.ts';
import { sharedBrowser } from '../support/browser.ts';
import { requires } from '../support/requires.ts';
import { DEARER } from '../support/sample-comment.ts';
import { comparisonResult, everythingFound, hostileComparison } from '../support/sample-comparison.ts';
import { FINDINGS, finding } from '../support/sample-findings.ts';
import { sampleRounds } from '../support/sample-rounds.ts';

const RUN = sampleRounds(DEARER);
const LONG = finding(
  { ...FINDINGS['slower-within-limit'], family: 'watch', metric: 'aMetricOfOthersWithAVeryLongNameIndeed' },
  { service: 'a-service-whose-name-nobody-would-want-to-type', tier: 'a-tier-of-many-words' },
);

const CASES: Readonly<Record<string, () => readonly ChartFile[]>> = {
  'all that can be found': () => chartsOf(RUN, everythingFound()),
  'long names': () => chartsOf(RUN, comparisonResult({ findings: [FINDINGS.regressed, LONG] })),
  'hostile names': () => {
    const { run, compared } = hostileComparison();
    return compared === undefined ? [] : chartsOf(run, compared);
  },
};

/** Texts that reach over the edge of the picture; the script runs in the browser. */
const OUTSIDE = `(() => {
  const edge = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll('text')]
    .filter((text) => { const box = text.getBoundingClientRect(); return box.left < edge.left || box.right > edge.right; })
    .map((text) => text.textContent);
})()`;

describe.skipIf(!requires('browser'))('charts in a browser', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-charts-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it.each(Object.entries(CASES))(
    'are whole XML, ask for nothing and keep their words in the picture: %s',
    async (_case, charts) => {
      const page = await (await sharedBrowser()).newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      const files = charts().map(({ name, svg }) => ({ path: join(folder, name), svg }));

      expect(files.length).toBeGreaterThan(1);
      for (const { path, svg } of files) {
        await writeFile(path, svg);
        await page.goto(pathToFileURL(path).href);
        expect(await page.evaluate('document.documentElement.tagName')).toBe('svg');
        expect(await page.evaluate("document.querySelector('parsererror') === null")).toBe(true);
        expect(await page.evaluate(OUTSIDE)).toEqual([]);
      }
      expect(requests).toEqual(files.map(({ path }) => pathToFileURL(path).href));
      await page.close();
    },
  );
});
