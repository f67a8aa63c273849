import { formatChange, formatCount, KnownError, MeasurementError } from '../../foundation/index.ts';
import { countedFindings, FEWEST_STARTS, MOST_STARTS } from '../../judge/index.ts';
import {
  ALL_OPERATIONS,
  type CountedStart,
  countedWindows,
  formatMetric,
  type InstructionsRecord,
  type RunInRounds,
  type Side,
} from '../../model/index.ts';
import { failureRecord } from '../rounds/attempt.ts';
import type { RoundBench } from '../rounds/bench.ts';
import {
  besideStored,
  COUNTED_NAMES,
  countHeadAlone,
  nothingCounted,
  type Playing,
  type WithCounts,
} from './head-counts.ts';
import { countStart, type StartName } from './start.ts';
import { storedBases } from './stored.ts';

/**
 * Counts the instructions of each service in both versions, start by start in turns, so that whatever drifts meets both. A service whose
 * starts do not tell is started more often. One that cannot be counted is noted, and the others go on; an abort, or the end of its time,
 * ends it with what there is. What the counts of a service say is logged as soon as they are there. Throws EnvironmentError where nothing
 * can count here.
 */
export async function countInstructions(
  bench: RoundBench,
  runOf: WithCounts,
  count: typeof countStart = countStart,
): Promise<InstructionsRecord> {
  const time = new CountingTime(bench);
  let record = await nothingCounted(bench);
  const stored = await storedBases(bench, record.counter);
  for (const service of bench.suite.services) {
    record =
      (await besideStored(playing(bench, { count, time }), record, { stored: stored.get(service), runOf })) ??
      (await withService(bench, record, { service, runOf, count, time }));
    for (const line of verdictLines(runOf(record), service)) {
      bench.progress.line(line);
    }
  }
  return record;
}

/**
 * Counts the instructions of the services of the head alone: two starts of each, and a third if those disagree. One that cannot be
 * counted is noted. Throws EnvironmentError where nothing can count here.
 */
export async function countHead(bench: RoundBench, count: typeof countStart = countStart): Promise<InstructionsRecord> {
  return await countHeadAlone(playing(bench, { count, time: new CountingTime(bench) }));
}

function playing(bench: RoundBench, { count, time }: Pick<Counting, 'count' | 'time'>): Playing {
  const play = async (before: InstructionsRecord, names: readonly StartName[]): Promise<InstructionsRecord> => {
    let record = before;
    for (const name of names) {
      const isNext = time.hasNext && record.failures.length === before.failures.length;
      record = isNext ? await time.spend(() => withStart(bench, record, { count, time, name })) : record;
    }
    return record;
  };
  return { bench, play };
}

/** What is left of the time for counts. */
class CountingTime {
  readonly #bench: RoundBench;
  readonly #endMs: number;
  #longestMs = 0;

  constructor(bench: RoundBench) {
    this.#bench = bench;
    this.#endMs = bench.clock.steadyMs() + (bench.countingSeconds ?? bench.budgetSeconds) * 1000;
  }

  get secondsLeft(): number {
    return Math.max(0, (this.#endMs - this.#bench.clock.steadyMs()) / 1000);
  }

  /** Whether another start would end in time, and nobody has ended it. */
  get hasNext(): boolean {
    return !this.#bench.signal.aborted && this.secondsLeft * 1000 >= this.#longestMs && this.secondsLeft > 0;
  }

  async spend<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedMs = this.#bench.clock.steadyMs();
    try {
      return await work();
    } finally {
      this.#longestMs = Math.max(this.#longestMs, this.#bench.clock.steadyMs() - startedMs);
    }
  }
}

interface Counting {
  readonly service: string;
  readonly runOf: WithCounts;
  /** Plays one start. */
  readonly count: typeof countStart;
  readonly time: CountingTime;
}

async function withService(bench: RoundBench, before: InstructionsRecord, counting: Counting) {
  const { service, runOf, time } = counting;
  let record = before;
  for (const place of IN_TURNS) {
    const name = { service, ...place };
    const isNext = time.hasNext && !isOver(record, name, runOf);
    record = isNext ? await time.spend(() => withStart(bench, record, { ...counting, name })) : record;
  }
  return record;
}

/** The head first, since it is the one that may be broken. */
const SIDES: readonly Side[] = ['head', 'base'];

/** Head, base, base, head, and so on. */
const IN_TURNS = Array.from({ length: MOST_STARTS }, (_, index) => index + 1).flatMap((start) =>
  (start % 2 === 1 ? SIDES : SIDES.toReversed()).map((side) => ({ side, start })),
);

/** Whether a service needs no such start: one failed, or there are enough before it and its instructions are told. Its system calls wait for nothing. */
function isOver(record: InstructionsRecord, { service, start }: StartName, runOf: WithCounts): boolean {
  const hasFailed = record.failures.some((failure) => failure.service === service);
  const run = runOf({ ...record, starts: record.starts.filter((one) => one.start < start) });
  return hasFailed || (start > FEWEST_STARTS && !isOpen(run, service));
}

function isOpen(run: RunInRounds, service: string): boolean {
  return countedFindings(run, run.rounds.policy).some(
    ({ cell, metric, verdict }) =>
      cell.service === service && metric === 'instructionsPerRequest' && verdict === 'inconclusive',
  );
}

async function withStart(
  bench: RoundBench,
  record: InstructionsRecord,
  { name, count, time }: Pick<Counting, 'count' | 'time'> & { readonly name: StartName },
): Promise<InstructionsRecord> {
  const { service, side } = name;
  show(bench, name);
  try {
    const like = record.starts.find((start) => start.service === service);
    const counted = await count({ ...bench, countingSeconds: time.secondsLeft }, name, like);
    bench.progress.line(lineOf(counted));
    return { ...record, starts: [...record.starts, counted] };
  } catch (thrown) {
    if (bench.signal.aborted) {
      return record;
    }
    if (!isOfService(thrown, bench)) {
      throw thrown;
    }
    bench.progress.line(`${service}, ${side}: instructions cannot be counted: ${thrown.brief}`);
    const failure = { service, side, ...failureRecord(thrown, bench.secrets.mask) };
    return { ...record, failures: [...record.failures, failure] };
  }
}

/** Whatever keeps it from being counted, rounds can follow. */
function isOfService(thrown: unknown, { profile }: RoundBench): thrown is KnownError {
  return thrown instanceof MeasurementError || (profile.looks.length > 0 && thrown instanceof KnownError);
}

function show({ progress, budgetSeconds }: RoundBench, { service, side, start }: StartName): void {
  progress.show({
    doneSeconds: 0,
    totalSeconds: budgetSeconds,
    label: `${service}, start ${start} of ${side}`,
    phase: 'counting instructions',
    isFleeting: true,
    offeredRps: undefined,
    achievedRps: undefined,
  });
}

function lineOf(start: CountedStart): string {
  const { service, side, operations, warmFrom } = start;
  const parts = operations.map((one) => {
    const { instructions } = countedWindows(start, one);
    const perRequest = instructions.map((count) => formatCount(Math.round(count / one.requests)));
    return `${one.operation} ${perRequest.join(' ')}`;
  });
  const warm = warmFrom === undefined ? 'not steady' : `warm after ${warmFrom} windows`;
  return `${service}, ${side}, start ${start.start}: instructions per request by window: ${parts.join('; ')} (${warm})`;
}

const VERDICTS = {
  regressed: 'regressed',
  'slower-within-limit': 'more, below the threshold',
  unchanged: 'unchanged',
  improved: 'improved',
  inconclusive: 'varies too much for its threshold, not gating',
} as const;

/** What the counts of a service say: of the whole, and of each operation that is worse. */
function verdictLines(run: RunInRounds, service: string): readonly string[] {
  return countedFindings(run, run.rounds.policy)
    .filter(({ cell }) => cell.service === service)
    .filter(({ cell, metric, verdict }) => {
      const isWhole = cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest';
      return isWhole || verdict === 'regressed';
    })
    .map(({ cell, metric, base, head, change, verdict }) => {
      const place = cell.operation === ALL_OPERATIONS ? service : `${service}, ${cell.operation}`;
      const values = `${formatMetric(metric, base)} → ${formatMetric(metric, head)}`;
      return `${place}: ${COUNTED_NAMES[metric]} ${values} (${formatChange(change.estimate)}): ${VERDICTS[verdict]}`;
    });
}
