import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AlertFlags, sendAlerts } from '../../../../src/commands/history/alerts.ts';
import { publishRun } from '../../../../src/history/publish.ts';
import type { HistoryStore } from '../../../../src/history/reader.ts';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { freePort } from '../../../../src/host/machine/ports.ts';
import { sampleEntries } from '../../../support/sample-history.ts';

const ABOUT = { wiregauge: '1.0.0', repository: 'https://github.com/one/service', branch: 'main' };

/** A history in memory. */
function memory(): HistoryStore {
  const files = new Map<string, string>();
  const read = async (path: string) => files.get(path);
  const list = async (folder: string) =>
    [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
  return {
    name: 'memory',
    read,
    list,
    change: async (apply) => {
      const before = new Map(files);
      const changes = await apply({ read: async (path) => before.get(path), list });
      for (const { path, text: content } of changes) {
        files.set(path, content ?? '');
      }
      return { outcome: changes.length === 0 ? 'unchanged' : 'written', attempts: 1 };
    },
  };
}

/** 30 runs at one level, and so many that take a fifth more. */
const runs = (after: number) =>
  sampleEntries(Array.from({ length: 30 + after }, (_, run) => (run < 30 ? 100 : 120) * (1 + ((run * 7) % 5) / 200)));

/** Publishes runs one after the other, and tells of each. */
async function published(entries: readonly HistoryEntry[], flags: AlertFlags): Promise<readonly string[]> {
  const store = memory();
  const warnings: string[] = [];
  ends.length = 0;
  for (const entry of entries) {
    const publication = { addition: { entry }, about: ABOUT, page: [] };
    const done = await publishRun(store, publication, 'run');
    const page = 'https://one.github.io/service/performance/';
    ends.push(await sendAlerts({ publication, done, page, flags, warn: (message) => void warnings.push(message) }));
  }
  return warnings;
}

const seen: string[] = [];
/** What became of the alerts of each run. */
const ends: Awaited<ReturnType<typeof sendAlerts>>[] = [];
const bench: { address: string; close: () => Promise<void> } = { address: '', close: async () => undefined };
let status = 200;

beforeEach(async () => {
  const port = await freePort();
  const server = createServer(async (request, response) => {
    seen.push(await text(request));
    response.writeHead(status).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  seen.length = 0;
  status = 200;
  bench.address = `http://127.0.0.1:${port}/hunter2`;
  bench.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await bench.close();
});

describe('report about a published run', () => {
  test('goes to a webhook once, with the run that made it sure', async () => {
    const flags = { alertWebhook: 'json', alertAddress: bench.address } as const;

    expect(await published(runs(8), flags)).toEqual([]);

    expect(seen.map((one) => JSON.parse(one))).toMatchObject([
      { suite: 'users', run: expect.stringMatching(/^run-3[4-6]$/), worse: [{ since: { run: 'run-30' } }], gone: [] },
    ]);
    const reported = ends.filter((end) => end?.webhook?.did !== 'none');
    expect(reported).toEqual([{ webhook: { did: 'sent', worse: 1, gone: 0 } }]);
  });

  test('goes to the address of ALERT_WEBHOOK on a command line', async () => {
    vi.stubEnv('ALERT_WEBHOOK', bench.address);

    await published(runs(8), { alertWebhook: 'slack' });

    expect(JSON.parse(seen[0] ?? '{}')).toMatchObject({ blocks: expect.any(Array) });
  });

  test('is a warning without the address if the webhook does not take it', async () => {
    status = 404;

    const warnings = await published(runs(8), { alertWebhook: 'teams', alertAddress: bench.address });

    expect(warnings).toEqual([
      expect.stringMatching(/^The changes were not sent to the webhook: 127\.0\.0\.1 answered HTTP 404/),
    ]);
    expect(warnings.join()).not.toContain('hunter2');
    expect(ends).toContainEqual({ webhook: { did: 'failed' } });
  });

  test('is a warning if there is no webhook address, or no token for the issue', async () => {
    vi.stubEnv('ALERT_WEBHOOK', '');
    vi.stubEnv('GITHUB_TOKEN', '');
    const last = runs(8).slice(0, 1);

    expect(await published(runs(8), { alertWebhook: 'json' })).toEqual([
      expect.stringMatching(/there is no webhook address\. Store it/),
    ]);
    expect(await published(last, { alertIssue: true })).toEqual([expect.stringMatching(/no token.*issues: write/)]);
  });

  test.each([{ branch: 'topic' }, { pullRequest: 7 }])(
    'is nothing for a run that is not of the default branch: %o',
    async (change) => {
      const entries = runs(8).map((entry) => ({ ...entry, ...change }));

      expect(await published(entries, { alertWebhook: 'json', alertAddress: bench.address, alertIssue: true })).toEqual(
        [],
      );
      expect(seen).toEqual([]);
    },
  );

  test('is nothing unless it is asked for', async () => {
    vi.stubEnv('ALERT_WEBHOOK', bench.address);

    await published(runs(8), {});

    expect(seen).toEqual([]);
    expect(new Set(ends)).toEqual(new Set([undefined]));
  });
});
