import type { Step } from '../../src/measure/knee/criteria.ts';
import { p99LimitMs, USUAL_CRITERIA } from '../../src/measure/knee/criteria.ts';
import { concluded, type KneeRecord, type ServiceKnee } from '../../src/measure/knee/record.ts';
import { sampleRun } from './sample-run.ts';
import { SEARCH } from './simulated-service.ts';

/** What the steps of one service come to. */
export function kneeIn(steps: readonly Step[], change: Partial<ServiceKnee> = {}): ServiceKnee {
  const limitMs = p99LimitMs(USUAL_CRITERIA, steps);
  return {
    name: 'api',
    title: 'The API',
    protocol: 'rest',
    environment: {},
    steps,
    ...(limitMs !== undefined && { p99LimitMs: limitMs }),
    ended: 'done',
    conclusion: concluded(SEARCH, steps),
    ...change,
  };
}

/** A record that could have been measured. */
export function saturateRecord(services: readonly ServiceKnee[]): KneeRecord {
  const { wiregauge, startedAt, commit, configHash, runner, runtime, limits, tools, suite } = sampleRun();
  return {
    kind: 'saturate',
    schema: 1,
    ...{ wiregauge, startedAt, commit, configHash, runner, runtime, limits, tools },
    suite: { name: suite.name, title: suite.title, operations: suite.operations },
    criteria: USUAL_CRITERIA,
    step: { warmupSeconds: 2, measureSeconds: 5 },
    budgetSeconds: 600,
    complete: true,
    services,
  };
}
