import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { fingerprintOf, systemIn } from '../../../../src/measure/instructions/stored.ts';
import { countHead, countInstructions } from '../../../../src/measure/plans/count.ts';
import type { StartName } from '../../../../src/measure/trial/versions.ts';
import type { CountedStart, InstructionsRecord } from '../../../../src/model/run/instructions.ts';
import type { StoredCounts } from '../../../../src/model/run/kept-counts.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { REST_STARTS, SLOWER_STARTS, sampleCounts, WINDOW } from '../../../support/sample-counts.ts';

const COUNTER = { name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' };

const COMMIT = 'abc1234'.padEnd(40, '0');

function counting() {
  const { bench, lines, stop } = fakeRounds();
  const of = (version: typeof bench.versions.base) => ({
    ...version,
    runtime: {
      ...version.runtime,
      counting: { counter: async () => COUNTER, start: () => Promise.reject(new Error('nothing is started here')) },
    },
  });
  const versions = { base: of(bench.versions.base), head: of(bench.versions.head) };
  return { bench: { ...bench, versions, suite: { ...bench.suite, services: ['rest'] } }, lines, stop };
}

const countedOf = (windows: readonly number[]) => ({
  operation: 'GetUser',
  requests: WINDOW,
  instructions: windows.map((one) => one * WINDOW),
  syscalls: windows.map(() => 10 * WINDOW),
});

const startOf = (name: StartName, windows: readonly number[]): CountedStart => ({
  ...name,
  warmFrom: 0,
  operations: [countedOf(windows)],
});

const steady = ({ start }: StartName) => REST_STARTS[start % 2] ?? REST_STARTS[0];

/** Counts of the base, stored with the fingerprint that it has here, but for what differs. */
function storedCounts(bench: ReturnType<typeof counting>['bench'], change: object = {}): readonly StoredCounts[] {
  const fingerprint = { ...fingerprintOf(bench.versions.base, COUNTER, { ...bench, service: 'rest' }), ...change };
  const starts = REST_STARTS.map((windows) => [countedOf(windows)]);
  return [{ commit: COMMIT, source: 'gh-pages', counts: [{ service: 'rest', fingerprint, starts }] }];
}

async function compared(windowsOf: (name: StartName) => readonly number[], change?: object, countingSeconds = 600) {
  const { bench, lines } = counting();
  const names: string[] = [];
  const sizes = new Set<number>();
  const record = await countInstructions(
    { ...bench, countingSeconds, storedCounts: async () => storedCounts(bench, change) },
    (instructions: InstructionsRecord) => ({ ...sampleCounts(), instructions }),
    async (within, name, { sizing, exchangesCores }) => {
      await within.clock.sleep(20_000);
      names.push(`${name.side} ${name.start}${exchangesCores ? ', cores exchanged' : ''}`);
      sizes.add(sizing.requests({ GetUser: 0 })({ name: 'GetUser', share: 1 }));
      return startOf(name, windowsOf(name));
    },
  );
  return { record, names, sizes: [...sizes], text: lines.join('\n') };
}

const HEADS = ['head 1', 'head 2, cores exchanged'];

const BOTH = ['head 1', 'base 1, cores exchanged', 'head 2, cores exchanged', 'base 2'];

describe('stored counts of the base', () => {
  test('replace it, so that only the head is started, with the same requests', async () => {
    const { record, names, sizes, text } = await compared(steady);

    expect(names).toEqual(HEADS);
    expect(sizes).toEqual([WINDOW]);
    expect(record.stored).toEqual([{ service: 'rest', commit: COMMIT, source: 'gh-pages' }]);
    expect(record.starts.map(({ side }) => side)).toEqual(['base', 'base', 'head', 'head']);
    expect(text).toContain('rest: base: stored, of commit abc1234');
    expect(text).toMatch(/^rest: instructions\/request 889k → 889k \([^)]*\): unchanged$/m);
  });

  test('decide nothing else than that nothing changed: both versions are counted then', async () => {
    const { record, names, text } = await compared((name) =>
      name.side === 'head' ? (SLOWER_STARTS[name.start - 1] ?? SLOWER_STARTS[0]) : steady(name),
    );

    expect(names).toEqual([...HEADS, ...BOTH]);
    expect(record.stored).toBeUndefined();
    expect(record.starts).toHaveLength(4);
    expect(text).toContain('rest: changed against the stored counts of base, so base is counted, too');
    expect(text).toMatch(/^rest: instructions\/request 889k → 901k \(\+1\.4%\): regressed$/m);
  });

  test('are not used if the counter is another one, which is said', async () => {
    const { names, text } = await compared(steady, { counter: 'valgrind 3.22.0 x64', environment: 'other' });

    expect(names).toEqual(BOTH);
    expect(text).toContain(
      'rest: base is counted, because the stored counts in gh-pages differ in the counter (valgrind 3.22.0 x64, here valgrind 3.19.0 x64) and the environment of the service',
    );
  });

  test('of a head that cannot be counted leave its failure, and nothing is started again', async () => {
    const { record, names } = await compared(() => {
      throw new MeasurementError('rest: ended before it was ready', { next: 'Look.' });
    });

    expect(names).toEqual(HEADS);
    expect(record).toMatchObject({ starts: [], failures: [{ service: 'rest', side: 'head' }] });
    expect(record.stored).toBeUndefined();
  });
});

describe('stored counts in a short time', () => {
  test('say nothing if it is over before the head was started', async () => {
    const { record, names, text } = await compared(steady, {}, 0);

    expect(names).toEqual([]);
    expect(record).toMatchObject({ starts: [], failures: [] });
    expect(text).not.toContain('not unchanged');
  });
});

describe('a fingerprint', () => {
  const { bench } = counting();
  const service = bench.versions.base.services.get('first');
  const of = (change: object) =>
    fingerprintOf(
      { ...bench.versions.base, services: new Map(service && [['first', { ...service, ...change }]]) },
      COUNTER,
      { ...bench, service: 'first' },
    );
  const parts = Object.keys(of({})) as (keyof ReturnType<typeof of>)[];
  const changed = (found: ReturnType<typeof of>) => parts.filter((part) => found[part] !== of({})[part]);

  test.each([
    ['environment', { environment: { LOG_LEVEL: 'debug' } }, ['environment']],
    ['command', { process: { build: [], command: ['true'] } }, ['command']],
    ['limits', { limits: { memoryMiB: 64 } }, ['command']],
    ['headers', { headers: { Accept: 'text/plain' } }, ['requests']],
    ['title', { title: 'Another' }, []],
  ])('has the %s of its service in it, or not', (_what, change, expected) => {
    expect(changed(of(change))).toEqual(expected);
  });

  test('has the operations in it, and the shares but for their last digits', () => {
    const { versions, suite } = bench;
    const withShares = (scale: number) =>
      fingerprintOf(versions.base, COUNTER, {
        suite: { ...suite, operations: suite.operations.map((one) => ({ ...one, share: one.share * scale })) },
        service: 'first',
      });

    expect(withShares(1 + 1e-12)).toEqual(of({}));
    expect(changed(withShares(0.9))).toEqual(['requests']);
  });

  test('has the system of a plain process alone', () => {
    const runtime = { ...bench.versions.base.runtime, name: 'docker' as const };

    expect(of({}).system).toMatch(/./);
    expect(
      fingerprintOf({ ...bench.versions.base, runtime }, COUNTER, { ...bench, service: 'first' }),
    ).not.toHaveProperty('system');
  });

  test.each([
    ['NAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nID=debian\n', 'debian 12'],
    ['ID="alpine"\nVERSION_ID=3.20.1\n', 'alpine 3.20.1'],
    ['ID=arch\n', 'arch'],
    ['', 'unknown'],
  ])('reads the system of %j', (text, system) => {
    expect(systemIn(text)).toBe(system);
  });
});

describe('countHead', () => {
  async function counted(windowsOf: (name: StartName) => readonly number[]) {
    const { bench, lines } = counting();
    const names: string[] = [];
    const record = await countHead(bench, async (_bench, name) => {
      names.push(`${name.side} ${name.start}`);
      return startOf(name, windowsOf(name));
    });
    return { record, names, lines };
  }

  test('starts a version twice, and says what was counted', async () => {
    const { record, names, lines } = await counted(steady);

    expect(names).toEqual(['head 1', 'head 2']);
    expect(Object.keys(record.fingerprints ?? {})).toEqual(['rest']);
    expect(lines).toContain('rest: instructions/request 889k');
    expect(lines).toContain('rest: system calls/request 10');
  });

  test('starts one whose starts disagree once more', async () => {
    expect((await counted(({ start }) => (start === 1 ? REST_STARTS : SLOWER_STARTS)[0])).names).toHaveLength(3);
  });

  test('notes what cannot be counted', async () => {
    const { record, names } = await counted(() => {
      throw new MeasurementError('rest: ended', { next: 'Look.' });
    });

    expect(names).toEqual(['head 1', 'head 2']);
    expect(record.failures).toMatchObject([{ service: 'rest', side: 'head', message: 'rest: ended' }]);
  });
});
