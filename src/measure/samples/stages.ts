import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import type { StageSample } from '../../model/metric.ts';
import type { Reading } from '../../model/runner.ts';
import type { UserStage } from '../../model/suite/suite.ts';
import { answersBetween, firstStartMs, summariseMachine } from './machine.ts';
import { summarise } from './summary.ts';

/** What was left by all stages together. */
interface StagedRecords {
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
}

/**
 * What users met in each stage: of the requests that were sent in it, and of the readings that fell into it. A stage that lasts no time,
 * with which users come all at once, is left out.
 */
export function stageSamples(records: StagedRecords, stages: readonly UserStage[]): StageSample[] {
  const zeroMs = firstStartMs(records.steady);
  let [fromSeconds, fromUsers] = [0, 0];
  const samples: StageSample[] = [];
  for (const { seconds, users } of stages) {
    const fromMs = zeroMs + fromSeconds * 1000;
    if (seconds > 0) {
      samples.push({
        fromSeconds,
        seconds,
        fromUsers,
        users,
        ...within(records, { fromMs, toMs: fromMs + seconds * 1000 }),
      });
    }
    [fromSeconds, fromUsers] = [fromSeconds + seconds, users];
  }
  return samples;
}

function within({ steady, readings }: StagedRecords, window: MeasuredWindow): Pick<StageSample, 'requests' | 'values'> {
  const { requests, values } = summarise(steady, window);
  const inWindow = readings.filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs);
  const machine = summariseMachine(inWindow, (from, to) => answersBetween(steady, from, to));
  return { requests, values: { ...values, ...machine?.values } };
}
