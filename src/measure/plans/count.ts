import { MeasurementError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { abortAfter } from '../../host/signals.ts';
import { countedFindings } from '../../judge/counts/counted.ts';
import { countedValues, FEWEST_STARTS, MOST_STARTS } from '../../judge/counts/figures.ts';
import { ALL_OPERATIONS, type CellKey, formatMetric, memberOf } from '../../model/metric.ts';
import type { Side } from '../../model/rounds.ts';
import type { FunctionProfile, InstructionsRecord } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { COUNTED_NAMES, countedLabel, verdictLines, windowsLine } from '../instructions/lines.ts';
import { countStart, Lockstep, type StartName, type StartOptions, type ToldStart } from '../instructions/start.ts';
import { fingerprintOf, isUnchanged, type StoredBase, storedBases, withStored } from '../instructions/stored.ts';
import { firstSizing, type Sizing, sizingLike } from '../instructions/windows.ts';
import { failureRecord, outcomeOf } from '../trial/failure.ts';
import { Budget } from '../trial/time.ts';
import { type CountBench, isAlone, type RoundBench, startedTogether } from './versions.ts';

/**
 * Counts the instructions of each service in both versions at once, each on a core of its own, which they exchange from start to start, so
 * that whatever drifts meets both. Versions that cannot stand beside each other are counted in turns. A service whose starts do not tell is
 * started more often. A version that cannot be counted is noted, and the others go on; an abort, or the end of its time, ends it with what
 * there is. What the counts of a service say is logged as soon as they are there; one that regressed is started once more, for what its
 * functions execute. Throws EnvironmentError if nothing can count here.
 */
export async function countInstructions(
  bench: RoundBench,
  runOf: WithCounts,
  count: typeof countStart = countStart,
): Promise<InstructionsRecord> {
  const time = timeOf(bench);
  let record = await nothingCounted(bench);
  const stored = await storedBases(bench, record.counter);
  for (const service of bench.suite.services) {
    record =
      (await besideStored(playing(bench, { count, time }), record, { stored: stored.get(service), runOf })) ??
      (await withService(bench, record, { service, runOf, count, time }));
    for (const line of verdictLines(runOf(record), service)) {
      bench.progress.line(line);
    }
    record = await withProfiles(bench, record, { service, runOf, count, time });
  }
  return record;
}

/**
 * Counts the instructions of the services of the head alone: two starts of each, and a third if those disagree. One that cannot be
 * counted is noted. Throws EnvironmentError if nothing can count here.
 */
export async function countHead(bench: CountBench, count: typeof countStart = countStart): Promise<InstructionsRecord> {
  return await countHeadAlone(playing(bench, { count, time: timeOf(bench) }));
}

function timeOf({ clock, countingSeconds, budgetSeconds }: CountBench): Budget {
  return new Budget(clock, countingSeconds ?? budgetSeconds);
}

/** Whether another start would end in time, and nobody has ended it. */
function hasNext({ signal }: CountBench, time: Budget): boolean {
  return !signal.aborted && time.leftSeconds > 0 && time.hasTimeFor();
}

/** Plays starts at once, or one after the other if versions cannot stand beside each other; all have windows like those that are known. */
function playing(bench: CountBench, { count, time }: Pick<Counting, 'count' | 'time'>): Playing {
  const play: Playing['play'] = async (before, names, hasFunctions = false) => {
    const sizing = sizingOf(before, names);
    let record = before;
    for (const together of startedTogether(bench, names)) {
      const isNext = hasNext(bench, time) && record.failures.length === before.failures.length;
      record = isNext
        ? await time.spend(() => withStarts(bench, record, { count, time, names: together, sizing, hasFunctions }))
        : record;
    }
    // Two starts of one version fail alike.
    return { ...record, failures: record.failures.slice(0, before.failures.length + 1) };
  };
  return { bench, play };
}

/** That of a start of the service that is known, if there is one. */
function sizingOf({ starts }: InstructionsRecord, [name]: readonly StartName[]): Sizing {
  const like = starts.find(({ service }) => service === name?.service);
  return like === undefined ? firstSizing() : sizingLike(like);
}

interface Counting {
  readonly service: string;
  readonly runOf: WithCounts;
  /** Plays one start. */
  readonly count: typeof countStart;
  readonly time: Budget;
}

async function withService(bench: CountBench, before: InstructionsRecord, counting: Counting) {
  const { service, runOf, time } = counting;
  const sizing = firstSizing();
  let record = before;
  for (const { start, sides } of bench.interleave === 'blocks' ? AT_ONCE : IN_TURNS) {
    if (isOver(record, { service, start }, runOf)) {
      continue;
    }
    if (!hasNext(bench, time)) {
      logNoTime(bench, record, { service, time });
      break;
    }
    const names = sides.map((side) => ({ service, side, start }));
    record = await time.spend(() => withStarts(bench, record, { ...counting, names, sizing }));
  }
  return record;
}

/** Only if that leaves the service uncounted, and nobody has ended it. */
function logNoTime(
  bench: CountBench,
  record: InstructionsRecord,
  { service, time }: Pick<Counting, 'service' | 'time'>,
): void {
  const starts = record.starts.filter((one) => one.service === service).length;
  if (!bench.signal.aborted && starts < 2 * FEWEST_STARTS) {
    const [left, longest] = [time.leftSeconds, time.longestSeconds].map(formatDuration);
    bench.progress.line(
      `${service}: instructions are not counted: ${left} left, and the longest start took ${longest}; ${isAlone(bench) ? 'raise --budget' : 'count them alone: --profile instructions'}`,
    );
  }
}

/** The head first, since it is the one that may be broken. */
const SIDES: readonly Side[] = ['head', 'base'];

const STARTS = Array.from({ length: MOST_STARTS }, (_, index) => index + 1);

const AT_ONCE = STARTS.map((start) => ({ start, sides: SIDES }));

/** Head, base, base, head, and so on. */
const IN_TURNS = STARTS.flatMap((start) =>
  (start % 2 === 1 ? SIDES : SIDES.toReversed()).map((side) => ({ start, sides: [side] })),
);

/** Whether a service needs no such start: one failed, or there are enough before it and its instructions are told. Its system calls wait for nothing. */
function isOver(record: InstructionsRecord, { service, start }: Omit<StartName, 'side'>, runOf: WithCounts): boolean {
  const hasFailed = record.failures.some((failure) => failure.service === service);
  const run = runOf({ ...record, starts: record.starts.filter((one) => one.start < start) });
  return hasFailed || (start > FEWEST_STARTS && !isOpen(run, service));
}

function isOpen(run: RunInRounds, service: string): boolean {
  return countedFindings(run, run.rounds.policy).some(
    ({ cell, metric, verdict }) =>
      cell.service === service && isOfWhole(cell) && metric === 'instructionsPerRequest' && verdict === 'inconclusive',
  );
}

/** What the functions of a service execute in both versions, if its instructions regressed and there is time for it. Services have no functions in common. */
async function withProfiles(bench: CountBench, before: InstructionsRecord, { service, runOf, ...starting }: Counting) {
  if (bench.profiler === 'none' || bench.versus !== undefined || !isRegressed(runOf(before), service)) {
    return before;
  }
  bench.progress.line(`${service}: counting once more for its functions`);
  const names = SIDES.map((side) => ({ service, side, start: MOST_STARTS + 1 }));
  return await playing(bench, starting).play(before, names, true);
}

function isRegressed(run: RunInRounds, service: string): boolean {
  return countedFindings(run, run.rounds.policy).some(
    ({ cell, metric, verdict }) =>
      cell.service === service && isOfWhole(cell) && metric === 'instructionsPerRequest' && verdict === 'regressed',
  );
}

/** Members are told beside the whole, and nobody starts it again for them. */
function isOfWhole(cell: CellKey): boolean {
  return memberOf(cell) === undefined;
}

interface Starting extends Pick<Counting, 'count' | 'time'>, Pick<StartOptions, 'hasFunctions'> {
  /** What is started at once. */
  readonly names: readonly StartName[];
  readonly sizing: Sizing;
}

async function withStarts(bench: CountBench, record: InstructionsRecord, starting: Starting) {
  const { names, time } = starting;
  show(bench, names);
  const failed = new AbortController();
  const lockstep = new Lockstep(names.length);
  const countingSeconds = time.leftSeconds;
  // Rounds need the rest of the budget, however long a start would take.
  using end = abortAfter(countingSeconds * 1000);
  const signal = AbortSignal.any([bench.signal, failed.signal, end.signal]);
  const within = { ...bench, countingSeconds, signal };
  const startsToCome = Math.max(0, FEWEST_STARTS - Math.max(...names.map(({ start }) => start)));
  const isFirst = ({ service, side }: StartName) =>
    !record.starts.some((start) => start.service === service && start.side === side);
  const outcomes = await Promise.allSettled(
    names.map((name) =>
      startOutcome(within, name, { ...starting, lockstep, isFirst: isFirst(name), startsToCome }).catch(
        (thrown: unknown) => {
          // Nobody waits for the other: it ends, too.
          failed.abort(thrown);
          throw thrown;
        },
      ),
    ),
  );
  if (failed.signal.aborted) {
    throw failed.signal.reason;
  }
  const all = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (starting.hasFunctions) {
    return { ...record, profiles: [...(record.profiles ?? []), ...all.flatMap(({ counted }) => profileOf(counted))] };
  }
  return {
    ...record,
    starts: [...record.starts, ...all.flatMap(({ counted }) => counted ?? [])],
    failures: [...record.failures, ...all.flatMap(({ failure }) => failure ?? [])],
  };
}

/** None if its functions were not told. */
function profileOf(start: ToldStart | undefined): readonly FunctionProfile[] {
  const { service, side, functions = [], calls } = start ?? {};
  return service === undefined || side === undefined || functions.length === 0
    ? []
    : [{ service, side, functions: [...functions], ...(calls !== undefined && { calls: [...calls] }) }];
}

/** What one start comes to; neither if it was aborted. */
interface StartOutcome {
  readonly counted?: ToldStart;
  readonly failure?: InstructionsRecord['failures'][number];
}

async function startOutcome(
  bench: CountBench,
  name: StartName,
  {
    count,
    time: _time,
    names: _names,
    ...options
  }: Starting & Pick<StartOptions, 'isFirst' | 'lockstep' | 'startsToCome'>,
): Promise<StartOutcome> {
  const { service, side, start } = name;
  // In one start on the one core and in the next on the other.
  const exchangesCores = bench.interleave === 'blocks' && (side === 'head') !== (start % 2 === 1);
  const outcome = await outcomeOf(bench.signal, () => count(bench, name, { ...options, exchangesCores }));
  if (outcome.ended === 'interrupted') {
    return {};
  }
  if (outcome.ended === 'done') {
    bench.progress.line(windowsLine(outcome.result, bench));
    return { counted: outcome.result };
  }
  const { failure } = outcome;
  // Whatever keeps it from being counted, rounds can follow.
  if (isAlone(bench) && !(failure instanceof MeasurementError)) {
    throw failure;
  }
  bench.progress.line(`${countedLabel(name, bench)}: instructions could not be counted: ${failure.brief}`);
  return { failure: { service, side, ...failureRecord(failure, bench) } };
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

/** The counts so far, as a run that the judge can look at. */
type WithCounts = (instructions: InstructionsRecord) => RunInRounds;

/** What plays starts. */
interface Playing {
  readonly bench: CountBench;
  /** Gives what was counted so far with further starts, or with what their functions execute, or with their failures; without those that nobody has time for. */
  readonly play: (
    record: InstructionsRecord,
    names: readonly StartName[],
    hasFunctions?: boolean,
  ) => Promise<InstructionsRecord>;
}

/** The record before the first start. Throws EnvironmentError if nothing can count here. */
async function nothingCounted({ suite, versions: { head } }: CountBench): Promise<InstructionsRecord> {
  const counter = await head.runtime.counting.counter();
  const fingerprints = suite.services.map(
    (service) => [service, fingerprintOf(head, counter, { suite, service })] as const,
  );
  return { counter, fingerprints: Object.fromEntries(fingerprints), starts: [], failures: [] };
}

/** Counts the head alone: two starts of each service, and a third if those disagree. What was counted of a service is logged. */
async function countHeadAlone(playing: Playing): Promise<InstructionsRecord> {
  const { bench } = playing;
  let record = await nothingCounted(bench);
  for (const service of bench.suite.services) {
    record = await withHead(playing, record, { service });
    record = isSettled(bench, record, service)
      ? record
      : await withHead(playing, record, { service, starts: ONE_MORE });
    for (const { metric, value } of wholeOf(bench, record, service)) {
      bench.progress.line(`${service}: ${COUNTED_NAMES[metric]} ${formatMetric(metric, value)}`);
    }
  }
  return record;
}

/** What is known of the base of a service. */
interface Beside {
  /** Undefined if nothing of it is stored. */
  readonly stored: StoredBase | undefined;
  readonly runOf: WithCounts;
}

/**
 * The head of a service beside the stored counts of its base. Undefined if there are none, or if they do not show that nothing changed:
 * then both versions are to be counted.
 */
async function besideStored(
  playing: Playing,
  before: InstructionsRecord,
  { stored, runOf }: Beside,
): Promise<InstructionsRecord | undefined> {
  if (stored === undefined) {
    return undefined;
  }
  const { service, commit } = stored.record;
  const { progress } = playing.bench;
  const record = await withHead(playing, withStored(before, stored), { service });
  if (record.failures.length > before.failures.length) {
    return { ...before, failures: record.failures };
  }
  if (record.starts.length < before.starts.length + stored.starts.length + FEWEST_STARTS) {
    // Nobody has time for the rest.
    return before;
  }
  if (isUnchanged(runOf(record), service)) {
    progress.line(`${service}: base: stored, of commit ${commit.slice(0, SHORT_COMMIT)}`);
    return record;
  }
  progress.line(`${service}: changed against the stored counts of base, so base is counted, too`);
  return undefined;
}

const SHORT_COMMIT = 7;

/** With further starts of the head of a service; if it could not be counted before, nothing is started again. */
async function withHead(
  { play }: Playing,
  record: InstructionsRecord,
  { service, starts = FIRST_STARTS }: { readonly service: string; readonly starts?: readonly number[] },
): Promise<InstructionsRecord> {
  const hasFailed = record.failures.some((failure) => failure.service === service);
  const names = starts.map((start) => ({ service, side: 'head', start }) as const);
  return hasFailed ? record : await play(record, names);
}

const FIRST_STARTS = Array.from({ length: FEWEST_STARTS }, (_, index) => index + 1);

const ONE_MORE = [FEWEST_STARTS + 1];

/** Starts of one version that agree to this share of a count say what it is. */
const AGREEING_STARTS = 0.005;

function isSettled(bench: CountBench, record: InstructionsRecord, service: string): boolean {
  const whole = wholeOf(bench, record, service).find(({ metric }) => metric === 'instructionsPerRequest');
  const means = whole?.means ?? [];
  return Math.max(...means) - Math.min(...means) <= AGREEING_STARTS * (whole?.value ?? 0);
}

/** What was counted of all operations of a service together. */
function wholeOf({ suite }: CountBench, { starts }: InstructionsRecord, service: string) {
  return countedValues({ suite }, starts).filter(
    ({ cell }) => cell.service === service && cell.operation === ALL_OPERATIONS,
  );
}
