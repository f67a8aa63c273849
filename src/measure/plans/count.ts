import { MeasurementError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { shortCommit } from '../../foundation/text.ts';
import { abortAfter } from '../../host/signals.ts';
import { countedFindings } from '../../judge/counts/counted.ts';
import { countedValues, FEWEST_STARTS, MAX_STARTS } from '../../judge/counts/figures.ts';
import { ALL_OPERATIONS, formatMetric, memberOf } from '../../model/metric.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { COUNTED_NAMES, countedLabel, verdictLines, windowsLine } from '../instructions/lines.ts';
import { countStart, Lockstep, type ReportedStart, type StartOptions } from '../instructions/start.ts';
import { fingerprintOf, isUnchanged, type StoredBase, storedBases, withStored } from '../instructions/stored.ts';
import { firstSizing, sizingLike } from '../instructions/windows.ts';
import { failureRecord, type Outcome, outcomeOf } from '../trial/failure.ts';
import { Budget } from '../trial/time.ts';
import {
  type CountBench,
  HEAD_FIRST,
  isAlone,
  type RoundBench,
  type StartName,
  startedTogether,
} from '../trial/versions.ts';

/**
 * Counts the instructions of each service in both versions at once, each on its own core, which they exchange from start to start, so that drift
 * affects both equally. Versions that cannot run at the same time are counted in turns. A service whose starts are inconclusive is started more
 * often. A version that cannot be counted is noted, and the others continue; an abort, or the end of its time, ends it with the counts so far. The
 * result of a service is logged as soon as it is known. Throws EnvironmentError if nothing can count here.
 */
export async function countInstructions(
  bench: RoundBench,
  runOf: WithCounts,
  count: typeof countStart = countStart,
): Promise<InstructionsRecord> {
  const counting = { bench, count, time: timeOf(bench) };
  let record = await nothingCounted(bench);
  const stored = await storedBases(bench, record.counter);
  for (const service of bench.suite.services) {
    const base = stored.get(service);
    const withHead = base && (await withStoredBase(counting, record, base, runOf));
    record = withHead ?? (await withService(counting, record, service, runOf));
    for (const line of verdictLines(runOf(record), service)) {
      bench.progress.line(line);
    }
  }
  return record;
}

/** Counts of a run, with the functions of services whose instructions regressed, from one more start of each. */
export async function countFunctions(
  bench: RoundBench,
  run: RunInRounds,
  { leftSeconds, count = countStart }: { readonly leftSeconds: number; readonly count?: typeof countStart },
): Promise<InstructionsRecord | undefined> {
  const counting = { bench, count, time: new Budget(bench.clock, leftSeconds) };
  let record = run.instructions;
  const isRequested = bench.profiler !== 'none' && bench.versus === undefined;
  for (const service of isRequested ? bench.suite.services : []) {
    if (record !== undefined && isWhole(run, service, 'regressed')) {
      bench.progress.line(`${service}: counting once more for its functions`);
      const names = HEAD_FIRST.map((side) => ({ service, side, start: MAX_STARTS + 1 }));
      record = await withNext(counting, record, names, true);
    }
  }
  return record;
}

/** Counts the head alone: two starts of each service, and a third if they disagree. Failures are noted. */
export async function countHead(bench: CountBench, count: typeof countStart = countStart): Promise<InstructionsRecord> {
  const counting = { bench, count, time: timeOf(bench) };
  let record = await nothingCounted(bench);
  for (const service of bench.suite.services) {
    record = await withHead(counting, record, service);
    record = isSettled(bench, record, service)
      ? record
      : await withHead(counting, record, service, [FEWEST_STARTS + 1]);
    for (const { metric, value } of wholeOf(bench, record, service)) {
      bench.progress.line(`${service}: ${COUNTED_NAMES[metric]} ${formatMetric(metric, value)}`);
    }
  }
  return record;
}

type WithCounts = (instructions: InstructionsRecord) => RunInRounds;

interface Counting {
  readonly bench: CountBench;
  readonly count: typeof countStart;
  readonly time: Budget;
}

function timeOf({ clock, countingSeconds, budgetSeconds }: CountBench): Budget {
  return new Budget(clock, countingSeconds ?? budgetSeconds);
}

function hasNext({ bench, time }: Counting): boolean {
  return !bench.signal.aborted && time.leftSeconds > 0 && time.hasTimeFor();
}

/** Record with further starts, whose windows are like those of a known one. Starts without time are left out. */
async function withNext(
  counting: Counting,
  before: InstructionsRecord,
  names: readonly StartName[],
  hasFunctions = false,
): Promise<InstructionsRecord> {
  const like = before.starts.find(({ service }) => service === names[0]?.service);
  const sizing = like === undefined ? firstSizing() : sizingLike(like);
  let record = before;
  for (const together of startedTogether(counting.bench, names)) {
    if (hasNext(counting) && record.failures.length === before.failures.length) {
      record = await withStarts(counting, record, together, { sizing, hasFunctions });
    }
  }
  // Two starts of one version fail for the same reason.
  return { ...record, failures: record.failures.slice(0, before.failures.length + 1) };
}

async function withService(counting: Counting, before: InstructionsRecord, service: string, runOf: WithCounts) {
  const { bench, time } = counting;
  const sizing = firstSizing();
  let record = before;
  for (const { start, sides } of bench.interleave === 'blocks' ? AT_ONCE : IN_TURNS) {
    if (isOver(record, { service, start }, runOf)) {
      continue;
    }
    if (!hasNext(counting)) {
      const starts = record.starts.filter((one) => one.service === service).length;
      if (!bench.signal.aborted && starts < 2 * FEWEST_STARTS) {
        const [left, longest] = [time.leftSeconds, time.longestSeconds].map(formatDuration);
        bench.progress.line(
          `${service}: instructions are not counted: ${left} left, and the longest start took ${longest}; ${isAlone(bench) ? 'raise --budget' : 'count them alone: --profile instructions'}`,
        );
      }
      break;
    }
    const names = sides.map((side) => ({ service, side, start }));
    record = await withStarts(counting, record, names, { sizing });
  }
  return record;
}

const STARTS = Array.from({ length: MAX_STARTS }, (_, index) => index + 1);

const AT_ONCE = STARTS.map((start) => ({ start, sides: HEAD_FIRST }));

const IN_TURNS = STARTS.flatMap((start) =>
  (start % 2 === 1 ? HEAD_FIRST : HEAD_FIRST.toReversed()).map((side) => ({ start, sides: [side] })),
);

/** True if a service does not need this start: one failed, or earlier starts decide its instructions. System calls never require another start. */
function isOver(record: InstructionsRecord, { service, start }: Omit<StartName, 'side'>, runOf: WithCounts): boolean {
  const hasFailed = record.failures.some((failure) => failure.service === service);
  const run = runOf({ ...record, starts: record.starts.filter((one) => one.start < start) });
  return hasFailed || (start > FEWEST_STARTS && !isWhole(run, service, 'inconclusive'));
}

function isWhole(run: RunInRounds, service: string, required: 'inconclusive' | 'regressed'): boolean {
  return countedFindings(run, run.rounds.policy).some(
    ({ cell, metric, verdict }) =>
      cell.service === service &&
      memberOf(cell) === undefined &&
      metric === 'instructionsPerRequest' &&
      verdict === required,
  );
}

async function withStarts(
  { bench, count, time }: Counting,
  record: InstructionsRecord,
  names: readonly StartName[],
  how: Pick<StartOptions, 'sizing' | 'hasFunctions'>,
): Promise<InstructionsRecord> {
  show(bench, names);
  const failed = new AbortController();
  const lockstep = new Lockstep(names.length);
  const countingSeconds = time.leftSeconds;
  // Rounds need the rest of the budget, however long a start takes.
  using end = abortAfter(countingSeconds * 1000);
  const signal = AbortSignal.any([bench.signal, failed.signal, end.signal]);
  const within = { ...bench, countingSeconds, signal };
  const startsToCome = Math.max(0, FEWEST_STARTS - Math.max(...names.map(({ start }) => start)));
  const outcomeOfStart = async (name: StartName): Promise<StartOutcome> => {
    const { service, side, start } = name;
    const isFirst = !record.starts.some((one) => one.service === service && one.side === side);
    // Exchanges the cores between consecutive starts.
    const exchangesCores = bench.interleave === 'blocks' && (side === 'head') !== (start % 2 === 1);
    const options = { ...how, lockstep, isFirst, startsToCome, exchangesCores };
    try {
      return outcomeIn(within, name, await outcomeOf(signal, () => count(within, name, options)));
    } catch (thrown) {
      // The other start ends, too.
      failed.abort(thrown);
      throw thrown;
    }
  };
  const outcomes = await time.spend(() => Promise.allSettled(names.map(outcomeOfStart)));
  if (failed.signal.aborted) {
    throw failed.signal.reason;
  }
  const all = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (how.hasFunctions) {
    const found = all.flatMap(({ counted }) => counted ?? []).filter(({ functions = [] }) => functions.length > 0);
    const profiles = found.map(({ service, side, functions = [], calls }) => ({ service, side, functions, calls }));
    return { ...record, profiles: [...(record.profiles ?? []), ...profiles] };
  }
  return {
    ...record,
    starts: [...record.starts, ...all.flatMap(({ counted }) => counted ?? [])],
    failures: [...record.failures, ...all.flatMap(({ failure }) => failure ?? [])],
  };
}

interface StartOutcome {
  readonly counted?: ReportedStart;
  readonly failure?: InstructionsRecord['failures'][number];
}

function outcomeIn(bench: CountBench, name: StartName, outcome: Outcome<ReportedStart>): StartOutcome {
  if (outcome.ended === 'interrupted') {
    return {};
  }
  if (outcome.ended === 'done') {
    bench.progress.line(windowsLine(outcome.result, bench));
    return { counted: outcome.result };
  }
  const { failure } = outcome;
  // Whatever prevents counting, rounds can follow.
  if (isAlone(bench) && !(failure instanceof MeasurementError)) {
    throw failure;
  }
  bench.progress.line(`${countedLabel(name, bench)}: instructions could not be counted: ${failure.brief}`);
  return { failure: { service: name.service, side: name.side, ...failureRecord(failure, bench) } };
}

function show({ progress, budgetSeconds }: CountBench, names: readonly StartName[]): void {
  const [{ service, start } = { service: '', start: 1 }] = names;
  progress.show({
    doneSeconds: 0,
    totalSeconds: budgetSeconds,
    label: `${service}, start ${start} of ${names.map(({ side }) => side).join(' and ')}`,
    phase: 'counting instructions',
    isFleeting: true,
  });
}

/** Record before the first start. Throws EnvironmentError if nothing can count here. */
async function nothingCounted({ suite, versions: { head } }: CountBench): Promise<InstructionsRecord> {
  const counter = await head.runtime.counting.counter();
  const fingerprints = suite.services.map(
    (service) => [service, fingerprintOf(head, counter, { suite, service })] as const,
  );
  return { counter, fingerprints: Object.fromEntries(fingerprints), hasAllocations: true, starts: [], failures: [] };
}

/** Record with the head of a service and stored counts of its base; undefined if these do not show that nothing changed. */
async function withStoredBase(
  counting: Counting,
  before: InstructionsRecord,
  stored: StoredBase,
  runOf: WithCounts,
): Promise<InstructionsRecord | undefined> {
  const { service, commit } = stored.record;
  const { progress } = counting.bench;
  const record = await withHead(counting, withStored(before, stored), service);
  if (record.failures.length > before.failures.length) {
    return { ...before, failures: record.failures };
  }
  if (record.starts.length < before.starts.length + stored.starts.length + FEWEST_STARTS) {
    // There is no time for more.
    return before;
  }
  if (isUnchanged(runOf(record), service)) {
    progress.line(`${service}: base: stored, of commit ${shortCommit(commit)}`);
    return record;
  }
  progress.line(`${service}: changed against the stored counts of base, so base is counted, too`);
  return undefined;
}

/** Record with further starts of the head of a service; it is not started again if it could not be counted before. */
async function withHead(
  counting: Counting,
  record: InstructionsRecord,
  service: string,
  starts = STARTS.slice(0, FEWEST_STARTS),
): Promise<InstructionsRecord> {
  const hasFailed = record.failures.some((failure) => failure.service === service);
  const names = starts.map((start) => ({ service, side: 'head', start }) as const);
  return hasFailed ? record : await withNext(counting, record, names);
}

/** Starts of one version that agree within this share determine its count. */
const AGREEING_STARTS = 0.005;

function isSettled(bench: CountBench, record: InstructionsRecord, service: string): boolean {
  const whole = wholeOf(bench, record, service).find(({ metric }) => metric === 'instructionsPerRequest');
  const means = whole?.means ?? [];
  return Math.max(...means) - Math.min(...means) <= AGREEING_STARTS * (whole?.value ?? 0);
}

function wholeOf({ suite }: CountBench, { starts }: InstructionsRecord, service: string) {
  return countedValues({ suite }, starts).filter(
    ({ cell }) => cell.service === service && cell.operation === ALL_OPERATIONS,
  );
}
