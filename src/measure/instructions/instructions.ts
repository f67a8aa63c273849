import { formatCount, MeasurementError } from '../../foundation/index.ts';
import { countedFindings } from '../../judge/index.ts';
import {
  type CountedStart,
  countedWindows,
  type InstructionsRecord,
  type RunInRounds,
  type Side,
} from '../../model/index.ts';
import { failureRecord } from '../rounds/attempt.ts';
import type { RoundBench } from '../rounds/bench.ts';
import { countStart, type StartName } from './start.ts';

/** Starts of each version: of two nobody knows which is the usual one, but they tell how far starts differ. */
const FEWEST_STARTS = 2;

/** What varies more than these can tell is said to vary. */
const MOST_STARTS = 4;

/** The counts so far, as a run that the judge can look at. */
export type WithCounts = (instructions: InstructionsRecord) => RunInRounds;

/**
 * Counts the instructions of each service in both versions, start by start in turns, so that whatever drifts meets both. A service whose
 * starts differ too much is started more often. One that cannot be counted is noted, and the others go on; an abort ends it with what
 * there is. Throws EnvironmentError where nothing can count here.
 */
export async function countInstructions(
  bench: RoundBench,
  runOf: WithCounts,
  count: typeof countStart = countStart,
): Promise<InstructionsRecord> {
  const counter = await bench.versions.head.runtime.counting.counter();
  let record: InstructionsRecord = { counter, starts: [], failures: [] };
  for (const service of bench.suite.services) {
    record = await withService(bench, record, { service, runOf, count });
  }
  return record;
}

interface Counting {
  readonly service: string;
  readonly runOf: WithCounts;
  /** Plays one start. */
  readonly count: typeof countStart;
}

async function withService(bench: RoundBench, before: InstructionsRecord, { service, runOf, count }: Counting) {
  let record = before;
  for (let start = 1; start <= MOST_STARTS && !isOver(runOf(record), service, start); start += 1) {
    for (const side of start % 2 === 1 ? SIDES : SIDES.toReversed()) {
      record = bench.signal.aborted
        ? record
        : await withStart(bench, record, { name: { service, side, start }, count });
    }
  }
  return record;
}

const SIDES: readonly Side[] = ['base', 'head'];

/** Whether a service needs no further start: one failed, or there are enough and they tell. */
function isOver(run: RunInRounds, service: string, start: number): boolean {
  const hasFailed = run.instructions?.failures.some((failure) => failure.service === service) ?? false;
  const isHidden = countedFindings(run, run.rounds.policy).some(
    ({ cell, verdict }) => cell.service === service && verdict === 'inconclusive',
  );
  return hasFailed || (start > FEWEST_STARTS && !isHidden);
}

async function withStart(
  bench: RoundBench,
  record: InstructionsRecord,
  { name, count }: Pick<Counting, 'count'> & { readonly name: StartName },
): Promise<InstructionsRecord> {
  const { service, side } = name;
  show(bench, name);
  try {
    const like = record.starts.find((start) => start.service === service);
    const counted = await count(bench, name, like);
    bench.progress.line(lineOf(counted));
    return { ...record, starts: [...record.starts, counted] };
  } catch (thrown) {
    if (bench.signal.aborted) {
      return record;
    }
    if (!(thrown instanceof MeasurementError)) {
      throw thrown;
    }
    bench.progress.line(`${service}, ${side}: instructions cannot be counted: ${thrown.brief}`);
    const failure = { service, side, ...failureRecord(thrown, bench.secrets.mask) };
    return { ...record, failures: [...record.failures, failure] };
  }
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
    const perRequest = instructions.map((count) => formatCount(count / one.requests));
    return `${one.operation} ${perRequest.join(' ')}`;
  });
  const warm = warmFrom === undefined ? 'not steady' : `warm after ${warmFrom} windows`;
  return `${service}, ${side}, start ${start.start}: instructions per request by window: ${parts.join('; ')} (${warm})`;
}
