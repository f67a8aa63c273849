import { expect, test } from 'vitest';
import { bytesPerRequest, countAllocated } from '../../../../src/measure/plans/allocated.ts';
import type { RoundBench } from '../../../../src/measure/plans/versions.ts';
import type { Side } from '../../../../src/model/rounds.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { recordFile } from '../../../support/record-file.ts';

const MIB = 2 ** 20;

/** A line of `-Xlog:gc:stderr:utctime`. */
const lineOf = (atMs: number, before: number, after: number): string => {
  const at = new Date(atMs).toISOString().replace('Z', '+0000');
  return `[${at}] GC(7) Pause Young (Allocation Failure) ${before}M->${after}M(255M) 1.394ms`;
};

const NINE = [100, 150, 200, 250, 300, 350, 400, 450, 500];

test('bytesPerRequest divides what was allocated between collections by the requests that ended meanwhile', () => {
  const log = [lineOf(0, 90, 9), ...NINE.map((atMs) => lineOf(atMs, 30, 20)), 'INFO GC(7) of the service', ''].join(
    '\n',
  );
  const window = { fromMs: 50, toMs: 600 };

  // 10 MiB eight times, in which five of seven requests end.
  expect(bytesPerRequest(log, [100, 101, 250, 251, 499, 500, 501], window)).toBe(16 * MIB);
  expect(() => bytesPerRequest(log, [250], { ...window, toMs: 450 })).toThrow('has 8 collections in 12 s of load');
  expect(() => bytesPerRequest(log, [501], window)).toThrow();
  expect(() => bytesPerRequest('', [250], window)).toThrow('has 0 collections');
});

/** Starts of a comparison whose service `first` is on a JVM, by the MiB that 100 requests allocate. */
async function startsOf(mebibytes: Readonly<Record<Side, number>>, leftSeconds = 600) {
  const nowMs = (): number => Math.round(fake.bench.clock.nowMs());
  const calls = Array.from({ length: 100 }, (_, index) => ({ startMs: index, latencyMs: 0.5 }));
  const behavior = { records: () => recordFile(calls, { originMs: nowMs() - 100 }) };
  const fake = fakeRounds({ base: behavior, head: behavior });
  const started: string[] = [];
  const version = (side: Side): RoundBench['versions'][Side] => {
    const own = fake.bench.versions[side];
    const start: typeof own.runtime.start = async (service, signal) => {
      started.push(`${side} ${service.name} ${service.environment['JDK_JAVA_OPTIONS']}`);
      const logs = async () =>
        Array.from({ length: 9 }, (_, place) => place)
          .map((place) => lineOf(nowMs() - 100 + 10 * place, 20 + mebibytes[side], 20))
          .join('\n');
      return { ...(await own.runtime.start(service, signal)), logs };
    };
    return { ...own, runtime: { ...own.runtime, start } };
  };
  const bench = { ...fake.bench, versions: { base: version('base'), head: version('head') } };
  const brief = 'it runs on a JVM, which starts too slowly under Valgrind';
  const failures = [
    { service: 'first', side: 'head' as const, message: `first: ${brief}`, brief },
    { service: 'second', side: 'head' as const, message: 'second exited', brief: 'second exited' },
  ];
  return { starts: await countAllocated(bench, failures, () => leftSeconds), started, lines: fake.lines };
}

const STARTED = ['head', 'base'].map((side) => `${side} first -Xmn16m -Xlog:gc:stderr:utctime`);

test('countAllocated starts versions once if they allocate alike, of services that were not counted on a JVM', async () => {
  const { starts, started, lines } = await startsOf({ base: 10, head: 10 });

  expect(started).toEqual(STARTED);
  expect(starts.map(({ side, start }) => [side, start])).toEqual([
    ['head', 1],
    ['base', 1],
  ]);
  expect(lines.join('\n')).toMatch(/first: (\S+ \S+) → \1 allocated\/request/);
});

test('countAllocated starts versions twice if they differ', async () => {
  const { starts, started } = await startsOf({ base: 10, head: 20 });

  expect(started).toEqual([...STARTED, ...STARTED]);
  expect(starts[0]?.allocated).toBe(2 * (starts[1]?.allocated ?? 0));
});

test('countAllocated starts nothing if the budget leaves no time', async () => {
  expect((await startsOf({ base: 10, head: 20 }, 60)).started).toEqual([]);
});
