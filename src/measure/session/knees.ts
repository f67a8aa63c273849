import { type KneeRecord, SATURATE_SCHEMA } from '../knee/record.ts';
import { type KneeBench, SECONDS_AROUND_STEP, STEP_WARMUP_SECONDS, saturate } from '../plans/saturate.ts';
import { searchPlan } from './plan-line.ts';
import { measurementOrigin, suiteRecord } from './run-facts.ts';
import { withLimits } from './runtime.ts';
import { inSession, type Job } from './session.ts';

type KneeJob = Job & Pick<KneeBench, 'criteria' | 'stepSeconds' | 'budgetSeconds' | 'output' | 'says'>;

/** Steps of a search without contradictions: a closed loop, a nearly idle service, a rise, halves of the gap, both ends again. */
const USUAL_STEPS = 12;

export function searchSeconds(stepSeconds: number): number {
  return USUAL_STEPS * (stepSeconds + STEP_WARMUP_SECONDS + SECONDS_AROUND_STEP);
}

export async function measureKnees(job: KneeJob): Promise<KneeRecord> {
  const { files, criteria, stepSeconds, budgetSeconds } = job;
  const { suite } = files;
  const names = [...files.services.keys()];
  const seconds = names.length * searchSeconds(stepSeconds);
  return await inSession(job, searchPlan(names, seconds, budgetSeconds), async (session) => {
    const head = {
      kind: 'saturate',
      schema: SATURATE_SCHEMA,
      ...(await measurementOrigin(files, session.prepared.head.runtime)),
      suite: suiteRecord(suite),
      criteria,
      step: { warmupSeconds: STEP_WARMUP_SECONDS, measureSeconds: stepSeconds },
      budgetSeconds,
    } as const;
    session.progress.chapter('Measure');
    const { services } = withLimits(files, session.prepared.head);
    return await saturate({ ...job, ...session, suite, services, runtime: session.prepared.head.runtime }, head);
  });
}
