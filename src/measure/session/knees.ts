import { keepToLoadCore } from '../../host/machine/machine.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { type KneeRecord, SATURATE_SCHEMA } from '../knee/record.ts';
import { type KneeBench, SECONDS_AROUND_STEP, STEP_WARMUP_SECONDS, saturate } from '../plans/saturate.ts';
import { trialBench } from '../trial/bench.ts';
import { whileBuilt } from './one-build.ts';
import { searchPlan } from './plan-line.ts';
import { measurementOrigin, suiteRecord } from './run-facts.ts';
import type { RuntimeChoice } from './runtime.ts';

interface KneeJob
  extends Pick<KneeBench, 'criteria' | 'stepSeconds' | 'budgetSeconds' | 'secrets' | 'output' | 'signal' | 'says'>,
    Pick<OutputOptions, 'json'> {
  readonly files: SuiteFiles;
  readonly runtime: RuntimeChoice;
}

/** For a search whose steps agree: a closed loop, one with little to do, a rise, halves of the gap, both ends again. */
const USUAL_STEPS = 12;

export function searchSeconds(stepSeconds: number): number {
  return USUAL_STEPS * (stepSeconds + STEP_WARMUP_SECONDS + SECONDS_AROUND_STEP);
}

export async function measureKnees(job: KneeJob): Promise<KneeRecord> {
  const { files, criteria, stepSeconds, budgetSeconds } = job;
  const { suite, services } = files;
  const names = [...services.keys()];
  const seconds = names.length * searchSeconds(stepSeconds);
  const planned = searchPlan(names, seconds, budgetSeconds);
  return await whileBuilt({ ...job, planned }, async ({ prepared, progress }) => {
    const { runtime } = prepared;
    await using _kept = await keepToLoadCore(runtime.runner, (line) => progress.line(line));
    const head = {
      kind: 'saturate',
      schema: SATURATE_SCHEMA,
      ...(await measurementOrigin(files, prepared)),
      suite: suiteRecord(suite),
      criteria,
      step: { warmupSeconds: STEP_WARMUP_SECONDS, measureSeconds: stepSeconds },
      budgetSeconds,
    } as const;
    progress.chapter('Measure');
    return await saturate({ ...job, ...trialBench({ ...job, progress }), suite, services, runtime }, head);
  });
}
