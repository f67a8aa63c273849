import { expect, test } from 'vitest';
import { bytesPerRequest, countAllocated } from '../../../../src/measure/plans/allocated.ts';
import type { RoundBench } from '../../../../src/measure/trial/versions.ts';
import { formatMetric } from '../../../../src/model/metric.ts';
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
  expect(() => bytesPerRequest(log, [250], { ...window, toMs: 450 })).toThrow(
    'the end of its log has 8 collections of the garbage collector',
  );
  expect(() => bytesPerRequest(log, [501], window)).toThrow();
  expect(() => bytesPerRequest('', [250], window)).toThrow('has 0 collections');
});

interface Trial {
  readonly leftSeconds?: number;
  /** The service's own. */
  readonly options?: string;
  /** True if head has no collections. */
  readonly broken?: boolean;
  /** Number of the start that is interrupted when it ends. */
  readonly abortAt?: number;
}

/** Starts of a comparison whose service `first` is on a JVM, by the MiB between collections: 2 more in second starts. */
async function startsOf(
  mebibytes: Readonly<Record<Side, number>>,
  { leftSeconds = 600, options, broken = false, abortAt }: Trial = {},
) {
  const nowMs = (): number => Math.round(fake.bench.clock.nowMs());
  const calls = Array.from({ length: 100 }, (_, index) => ({ startMs: index, latencyMs: 0.5 }));
  const behavior = { records: () => recordFile(calls, { originMs: nowMs() - 100 }) };
  const fake = fakeRounds({ base: behavior, head: behavior });
  const started: string[] = [];
  const version = (side: Side): RoundBench['versions'][Side] => {
    const own = fake.bench.versions[side];
    const start: typeof own.runtime.start = async (service, signal) => {
      started.push(`${side} ${service.name} ${service.environment['JDK_JAVA_OPTIONS']}`);
      const more = started.length > 2 ? 2 : 0;
      const isLast = started.length === abortAt;
      const logs = async (lines = 400) => {
        if (isLast) {
          fake.stop.abort(new Error('stopped'));
        }
        const collections = Array.from({ length: 9 }, (_, place) =>
          lineOf(nowMs() - 100 + 10 * place, 20 + mebibytes[side] + more, 20),
        );
        const requests = Array.from({ length: 1000 }, () => 'GET /users/1 200');
        return [...(broken && side === 'head' ? [] : collections), ...requests].slice(-lines).join('\n');
      };
      return { ...(await own.runtime.start(service, signal)), logs };
    };
    const environment = options === undefined ? {} : { JDK_JAVA_OPTIONS: options };
    const services = new Map([...own.services].map(([name, service]) => [name, { ...service, environment }]));
    return { ...own, services, runtime: { ...own.runtime, start } };
  };
  const versions = { base: version('base'), head: version('head') };
  const chapters: string[] = [];
  const progress = { ...fake.bench.progress, chapter: (title: string) => void chapters.push(title) };
  const bench = { ...fake.bench, versions, progress };
  const brief = 'it runs on a JVM, which starts too slowly under Valgrind';
  const failures = [
    { service: 'first', side: 'head' as const, message: `first: ${brief}`, brief },
    { service: 'second', side: 'head' as const, message: 'second exited', brief: 'second exited' },
  ];
  const starts = await countAllocated(bench, failures, () => leftSeconds);
  return { starts, started, chapters, lines: fake.lines };
}

const STARTED = ['head', 'base'].map((side) => `${side} first -Xmn16m -Xlog:gc:stderr:utctime`);

test('countAllocated starts versions once if they allocate alike, of services that were not counted on a JVM', async () => {
  const { starts, started, chapters, lines } = await startsOf({ base: 10, head: 10 });

  expect(started).toEqual(STARTED);
  expect(chapters).toEqual(['Heap']);
  expect(starts.map(({ side, start }) => [side, start])).toEqual([
    ['head', 1],
    ['base', 1],
  ]);
  expect(lines.join('\n')).toMatch(/first: (\S+ \S+) → \1 allocated\/request/);
});

test('countAllocated starts versions twice if they differ', async () => {
  const { starts, started, lines } = await startsOf({ base: 10, head: 20 });

  expect(started).toEqual([...STARTED, ...STARTED]);
  expect(starts[0]?.allocated).toBe(2 * (starts[1]?.allocated ?? 0));
  const medians = [1, 0].map((place) => ((starts[place]?.allocated ?? 0) + (starts[place + 2]?.allocated ?? 0)) / 2);
  const [base, head] = medians.map((bytes) => formatMetric('allocatedBytesPerRequest', bytes));
  expect(lines.at(-1)).toBe(`first: ${base} → ${head} allocated/request`);
});

test('countAllocated starts nothing if the budget leaves no time', async () => {
  expect((await startsOf({ base: 10, head: 20 }, { leftSeconds: 60 })).started).toEqual([]);
});

test('countAllocated starts nothing more after a start that failed', async () => {
  const { started, lines } = await startsOf({ base: 10, head: 20 }, { broken: true });

  expect(started).toEqual(STARTED.slice(0, 1));
  expect(lines.join('\n')).toContain('allocations could not be counted: the end of its log has 0 collections');
});

test.each([1, 2, 3])('countAllocated starts nothing more if it is interrupted in start %i', async (abortAt) => {
  expect((await startsOf({ base: 10, head: 20 }, { abortAt })).started).toHaveLength(abortAt);
});

test('countAllocated adds its options to those of a service', async () => {
  const { started } = await startsOf({ base: 10, head: 10 }, { options: '-Xmx200m' });

  expect(started[0]).toBe('head first -Xmx200m -Xmn16m -Xlog:gc:stderr:utctime');
});
