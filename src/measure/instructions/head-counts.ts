import { countedValues, FEWEST_STARTS } from '../../judge/counts/figures.ts';
import { ALL_OPERATIONS, formatMetric } from '../../model/metric.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { CountBench } from './bench.ts';
import { fingerprintOf } from './fingerprint.ts';
import { COUNTED_NAMES } from './lines.ts';
import type { StartName } from './playing.ts';
import { isUnchanged, type StoredBase, withStored } from './stored.ts';

/** The counts so far, as a run that the judge can look at. */
export type WithCounts = (instructions: InstructionsRecord) => RunInRounds;

/** What plays starts. */
export interface Playing {
  readonly bench: CountBench;
  /** Gives what was counted so far with further starts, or with what their functions execute, or with their failures; without those that nobody has time for. */
  readonly play: (
    record: InstructionsRecord,
    names: readonly StartName[],
    hasFunctions?: boolean,
  ) => Promise<InstructionsRecord>;
}

/** The record before the first start. Throws EnvironmentError if nothing can count here. */
export async function nothingCounted({ suite, versions: { head } }: CountBench): Promise<InstructionsRecord> {
  const counter = await head.runtime.counting.counter();
  const fingerprints = suite.services.map(
    (service) => [service, fingerprintOf(head, counter, { suite, service })] as const,
  );
  return { counter, fingerprints: Object.fromEntries(fingerprints), starts: [], failures: [] };
}

/** Counts the head alone: two starts of each service, and a third if those disagree. What was counted of a service is logged. */
export async function countHeadAlone(playing: Playing): Promise<InstructionsRecord> {
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
export async function besideStored(
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
