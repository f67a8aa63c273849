import { describe, expect, it } from 'vitest';
import { USUAL_CRITERIA } from '../../../../src/measure/knee/criteria.ts';
import { type KneeRecord, parseKnees } from '../../../../src/measure/knee/record.ts';
import type { KneeBench } from '../../../../src/measure/plans/saturate.ts';
import { saturate } from '../../../../src/measure/plans/saturate.ts';
import { secretsFrom } from '../../../../src/model/secrets/secrets.ts';
import { KNEE_WORDS } from '../../../../src/report/knee/words.ts';
import { type LoadedService, loadedBench } from '../../../support/fake-loaded-service.ts';
import type { FakeBench } from '../../../support/fakes.ts';
import { saturateRecord } from '../../../support/sample-saturate.ts';

const CAPACITY = 400;
const USUAL: LoadedService = { capacityRps: CAPACITY, baseMs: 2 };

interface Searched {
  readonly record: KneeRecord;
  readonly bench: FakeBench;
}

async function searched(
  services: Readonly<Record<string, LoadedService>>,
  change: Partial<KneeBench> = {},
  bench = loadedBench(services),
): Promise<Searched> {
  const { services: _none, complete: _complete, ...head } = saturateRecord([]);
  const requested = { criteria: USUAL_CRITERIA, stepSeconds: 5, budgetSeconds: 3600, says: KNEE_WORDS, ...change };
  return { record: await saturate({ ...bench, suite: bench.plan.suite, ...requested }, head), bench };
}

describe('a search', () => {
  it('finds what a service holds, with one start besides that of the verification', async () => {
    const { record, bench } = await searched({ api: USUAL });

    const [knee] = record.services;
    expect(record.complete).toBe(true);
    expect(knee).toMatchObject({ name: 'api', ended: 'done', conclusion: { kind: 'found', contested: [] } });
    expect(knee?.conclusion.held?.offeredRps).toBeGreaterThan(0.7 * CAPACITY);
    expect(knee?.conclusion.notHeld?.offeredRps).toBeLessThanOrEqual(CAPACITY * 1.1);
    expect(knee?.steps.map(({ start }) => start)).toEqual(['fresh', ...(knee?.steps.slice(1) ?? []).map(() => 'same')]);
    expect(bench.started).toEqual(['api', 'api']);
    expect(bench.stopped).toEqual(bench.started);
  });

  it('keeps a readable record after every step, incomplete until the last', async () => {
    const { record, bench } = await searched({ api: USUAL });

    const records = bench.written.map((text) => parseKnees(text, 'saturate.json'));
    const counts = records.map(({ services }) => services[0]?.steps.length ?? 0);
    expect(counts.slice(0, 3)).toEqual([1, 2, 3]);
    expect(records.slice(0, -1).every(({ complete }) => !complete)).toBe(true);
    expect(records.at(-1)).toEqual(record);
  });

  it('asks over the network of the suite, by the driver alone', async () => {
    const bench = loadedBench({ api: USUAL });
    const network = { rttMs: 20, by: 'driver' } as const;
    const networks = new Set<unknown>();
    const start: typeof bench.runtime.start = async (...started) => {
      const running = await bench.runtime.start(...started);
      return {
        ...running,
        load: async () => expect.fail('a load tool was started'),
        play: async (loads, signal) => {
          for (const { load } of loads) {
            networks.add(load.network);
          }
          return await running.play(loads, signal);
        },
      };
    };

    const { record } = await searched(
      {},
      { suite: { ...bench.plan.suite, network } },
      { ...bench, runtime: { ...bench.runtime, start } },
    );

    expect(record.services[0]).toMatchObject({ ended: 'done', conclusion: { kind: 'found' } });
    expect([...networks]).toEqual([network]);
  });

  it('says what it found of each step while it goes on', async () => {
    const { bench } = await searched({ api: USUAL });

    expect(bench.progress.lines[1]).toMatch(
      /^api at 50 workers, closed loop: [\d.]+\/s, p50 [\d.]+ ms, p99 [\d.]+ ms, fresh start$/,
    );
    expect(bench.progress.lines[2]).toMatch(/^api at [\d.]+\/s: [\d.]+\/s, p50 .* ms, p99 .* ms: sustained$/);
    expect(bench.progress.lines.at(-1)).toMatch(/^api sustains /);
  });

  it('restarts a service only if it has not drained', async () => {
    const { record, bench } = await searched({ api: { ...USUAL, getsStuckFrom: 335 } });

    const steps = record.services[0]?.steps ?? [];
    const fresh = steps.flatMap(({ start }, index) => (start === 'fresh' ? [index] : []));
    const over = steps.flatMap(({ offeredRps = 0 }, index) => (offeredRps >= 335 ? [index + 1] : []));
    expect(fresh).toEqual([0, ...over.filter((index) => index < steps.length)]);
    expect(fresh.length).toBeGreaterThan(1);
    expect(bench.stopped).toHaveLength(bench.started.length);
  });

  it('keeps no secret in what a service ended with', async () => {
    const use = { variable: 'TOKEN', place: '', isPem: false };
    const secrets = secretsFrom([use], { TOKEN: 'SIGKILL' }, () => '');
    const { record } = await searched({ api: { ...USUAL, endsFrom: 250 } }, { secrets });

    expect(record.services[0]?.conclusion.notHeld?.ended).toBe('api: it was killed by ***; it printed nothing');
  });

  it('treats the exit of a service as a rate that is not sustained, and goes on with a fresh start', async () => {
    const { record } = await searched({ api: { ...USUAL, endsFrom: 250 } });

    const [knee] = record.services;
    expect(knee?.conclusion).toMatchObject({
      kind: 'found',
      notHeld: { ended: 'api: it was killed by SIGKILL; it printed nothing' },
    });
    expect(knee?.conclusion.notHeld?.reasons[0]).toBe('ended');
    expect(knee?.conclusion.held?.offeredRps).toBeLessThan(250);
    expect(knee?.steps.filter(({ start }) => start === 'fresh').length).toBeGreaterThan(1);
  });

  it('records a service that cannot be measured, and searches the next', async () => {
    const { record } = await searched({ first: { ...USUAL, complaint: 'a complaint' }, second: USUAL });

    expect(record.complete).toBe(false);
    expect(record.services.map(({ ended, conclusion }) => [ended, conclusion.kind])).toEqual([
      ['failed', 'unmeasured'],
      ['done', 'found'],
    ]);
    expect(record.services[0]?.failure?.message).toBe('ghz against first failed: a complaint');
  });

  it('gives each service its share of the time, and says where that was too short', async () => {
    const { record } = await searched({ first: USUAL, second: USUAL }, { budgetSeconds: 80 });

    expect(record.services.map(({ ended }) => ended)).toEqual(['budget', 'budget']);
    const [first = 0, second = 0] = record.services.map(({ steps }) => steps.length);
    expect(Math.abs(first - second)).toBeLessThanOrEqual(1);
    expect(first).toBeGreaterThan(1);
    expect(record.complete).toBe(false);
  });

  it('keeps what it measured when it is interrupted, and stops the service', async () => {
    let loads = 0;
    const onLoad = (): void => {
      loads += 1;
      if (loads === 4) {
        bench.stop.abort();
      }
    };
    const services = { first: { ...USUAL, onLoad }, second: USUAL };
    const bench: FakeBench = loadedBench(services);

    const { record } = await searched(services, {}, bench);

    expect(record.services.map(({ name, ended, steps }) => [name, ended, steps.length])).toEqual([
      ['first', 'interrupted', 3],
    ]);
    expect(record.complete).toBe(false);
    expect(bench.stopped).toHaveLength(bench.started.length);
  });

  it('holds to the p99 that it is given', async () => {
    const { record } = await searched({ api: USUAL }, { criteria: { ...USUAL_CRITERIA, p99Ms: 6.5 } });

    // At half of its capacity the service takes three times its latency without work.
    expect(record.services[0]?.p99LimitMs).toBe(6.5);
    expect(record.services[0]?.conclusion.held?.offeredRps).toBeLessThan(0.56 * CAPACITY);
  });
});
