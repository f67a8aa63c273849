/**
 * The trend page on a long history: `npm run bench:site -- [--runs 10000] [--peer FOLDER --chart FILE]`. Goals: first chart within a
 * second of navigation, page and first figures within 300 KB over the wire, 50 ms for a step of zooming or filtering.
 *
 * With `--peer` it opens another page on the same history, too: a folder with the index.html that github-action-benchmark made, which
 * gets a data.js of all series. `--chart` is the Chart.js that its page loads from elsewhere.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BROWSER_ARGUMENTS } from '../../scripts/browser-arguments.ts';
import { buildSite } from '../../scripts/build-site.ts';
import { generateHistory, type HistoryPlan } from '../../scripts/history-generator.ts';
import { messageOf } from '../../src/foundation/errors.ts';
import { median } from '../../src/foundation/statistics.ts';
import { peerFiles } from './peer.ts';
import { type SiteServer, serveSite } from './server.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, peer: { type: 'string' }, chart: { type: 'string' } },
});

const ROUNDS = 5;

/** Timeout of a page. */
const MAX_SECONDS = 120;

const PLAN: HistoryPlan = {
  seed: 5,
  runs: Number(values.runs),
  operations: ['all', 'GetUser', 'ListUsers', 'CreateUser', 'DeleteUser'],
  metrics: ['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'achievedRps', 'cpuMicrosPerRequest'],
  end: new Date('2026-11-21T08:00:00Z'),
  hoursBetween: 2,
  steps: Array.from({ length: 24 }, (_, index) => ({
    place: Math.floor((Number(values.runs) * (index + 1)) / 25),
    factor: index % 3 === 0 ? 0.93 : 1.08,
    subject: `Change number ${index + 1}`,
    of: ({ tier, metric }) => tier === (index % 2 === 0 ? 'high' : 'saturation') && metric === 'cpuMicrosPerRequest',
  })),
  releases: { 0: 'v1.0.0' },
};

const ARGUMENTS = [...BROWSER_ARGUMENTS, '--enable-precise-memory-info', '--js-flags=--expose-gc'];

/** Milliseconds until a canvas of some size has something drawn on it. */
const FIRST_DRAWN = `new Promise((resolve) => {
  const look = () => {
    const drawn = [...document.querySelectorAll('canvas')].find((canvas) => {
      const { width, height } = canvas;
      return width > 50 && height > 50 && canvas.getContext('2d').getImageData(0, 0, width, height).data.some((byte) => byte > 0);
    });
    drawn === undefined ? requestAnimationFrame(look) : resolve(performance.now());
  };
  look();
})`;

interface Opened {
  readonly firstChartMs: number;
  readonly heapMb: number;
  readonly kilobytes: number;
}

async function opened(browser: Browser, server: SiteServer, path: string): Promise<Opened & { readonly page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const before = server.bytes();
  await page.goto(server.url + path, { waitUntil: 'commit' });
  const firstChartMs = await Promise.race([page.evaluate<number>(FIRST_DRAWN), nothingDrawn()]);
  await page.waitForLoadState('load');
  const heapMb = await page.evaluate<number>('(gc(), performance.memory.usedJSHeapSize / 1e6)');
  return { page, firstChartMs, heapMb, kilobytes: (server.bytes() - before) / 1000 };
}

async function nothingDrawn(): Promise<never> {
  await setTimeout(MAX_SECONDS * 1000, undefined, { ref: false });
  throw new Error(`nothing was drawn within ${MAX_SECONDS} s`);
}

async function medians(browser: Browser, server: SiteServer, path: string): Promise<Opened> {
  const all: Opened[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { page, ...figures } = await opened(browser, server, path);
    all.push(figures);
    await page.context().close();
  }
  const of = (name: keyof Opened) => median(all.map((one) => one[name])) ?? Number.NaN;
  return { firstChartMs: of('firstChartMs'), heapMb: of('heapMb'), kilobytes: of('kilobytes') };
}

/** From an event until the browser could paint what it led to: handlers, layout and drawing, on the page's own clock. */
const TIMED = `async (act) => {
  const times = [];
  for (let step = 0; step < 12; step += 1) {
    const began = performance.now();
    act(step);
    document.body.getBoundingClientRect();
    await Promise.resolve();
    times.push(performance.now() - began);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  return times.sort((left, right) => left - right)[6];
}`;

const ZOOM = `(step) => document.querySelector('#plot').dispatchEvent(new KeyboardEvent('keydown', { key: step % 4 < 2 ? '+' : '-' }))`;

const FILTER = `(step) => {
  const query = document.querySelector('#query');
  query.value = 'rest saturation p95 latency'.slice(0, 2 * step);
  query.dispatchEvent(new Event('input'));
}`;

async function steps(page: Page, name: string): Promise<void> {
  const zoom = await page.evaluate<number>(`(${TIMED})(${ZOOM})`);
  const filter = await page.evaluate<number>(`(${TIMED})(${FILTER})`);
  console.log(
    `  ${name}: zoom ${zoom.toFixed(1)} ms, filter ${filter.toFixed(1)} ms a step${over(Math.max(zoom, filter), 50, 'ms')}`,
  );
}

function over(found: number, most: number, unit: string): string {
  return found > most ? `: OVER the goal of ${most} ${unit}` : '';
}

function print(name: string, { firstChartMs, heapMb, kilobytes }: Opened): void {
  console.log(
    `${name}: first chart ${firstChartMs.toFixed(0)} ms, ${kilobytes.toFixed(0)} KB gzipped, JS heap ${heapMb.toFixed(1)} MB`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'wiregauge-site-'));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
try {
  const files = generateHistory(PLAN);
  await buildSite(folder);
  const peer = values.peer === undefined ? new Map<string, string>() : await peerFiles(values.peer, files);
  await using server = await serveSite({ folder, files: new Map([...files, ...peer]), chart: values.chart });
  console.log(`${PLAN.runs} runs, 200 series, medians of ${ROUNDS}:`);
  const own = await medians(browser, server, '/');
  print('trend page', own);
  console.log(`  goals${over(own.firstChartMs, 1000, 'ms') + over(own.kilobytes, 300, 'KB') || ': met'}`);
  const { page } = await opened(browser, server, '/');
  await steps(page, 'with the newest runs');
  const began = performance.now();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.locator('.older button').waitFor({ state: 'hidden', timeout: 120_000 });
  const heap = await page.evaluate<number>('(gc(), performance.memory.usedJSHeapSize / 1e6)');
  console.log(
    `  all runs read in ${((performance.now() - began) / 1000).toFixed(1)} s, JS heap then ${heap.toFixed(1)} MB`,
  );
  await steps(page, 'with all runs');
  if (peer.size > 0) {
    const other = await medians(browser, server, '/peer/index.html').catch((thrown: unknown) => {
      console.log(`the other page: ${messageOf(thrown)}`);
      return { firstChartMs: Number.NaN, heapMb: Number.NaN, kilobytes: Number.NaN };
    });
    print('the other page', other);
    console.log(
      `  trend page against it: first chart ${(other.firstChartMs / own.firstChartMs).toFixed(1)} times as fast, ${(other.heapMb / own.heapMb).toFixed(1)} times less memory`,
    );
  }
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
