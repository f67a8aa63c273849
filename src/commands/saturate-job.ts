import { protocolClient } from '../adapters/client.ts';
import { systemClock } from '../adapters/clock.ts';
import { keepToLoadCore } from '../adapters/cores.ts';
import { openProgress } from '../adapters/progress.ts';
import type { OutputFolder } from '../app/ports.ts';
import { type SaturateHead, STEP_WARMUP_SECONDS } from '../app/saturate/bench.ts';
import { saturate } from '../app/saturate/saturate.ts';
import type { Criteria } from '../core/capacity/criteria.ts';
import { SATURATE_SCHEMA, type SaturateRecord } from '../core/capacity/record.ts';
import type { Plan, Profile } from '../core/plan.ts';
import type { Secrets } from '../core/secrets.ts';
import { durationText } from './budget.ts';
import { headOf } from './head.ts';
import { OWN_ROOT } from './own-root.ts';
import { remarkStream, type Telling } from './result.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';
import type { SuiteFiles } from './suite.ts';

/** All that a search is decided by before it begins. */
export interface SaturateJob extends Pick<Telling, 'json'> {
  readonly files: SuiteFiles;
  readonly criteria: Criteria;
  readonly stepSeconds: number;
  readonly budgetSeconds: number;
  readonly runtime: RuntimeChoice;
  readonly secrets: Secrets;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

/** Of a search whose steps agree: a closed loop, one with little to do, a rise, halves of the gap, both ends again. */
const USUAL_STEPS = 12;
const SECONDS_AROUND_STEP = 2;

/** About how long the search for one service takes, in seconds. */
export function searchSeconds(stepSeconds: number): number {
  return USUAL_STEPS * (stepSeconds + STEP_WARMUP_SECONDS + SECONDS_AROUND_STEP);
}

/** Builds the services and searches one after the other; what was measured lies in the output folder at any time. */
export async function measureKnees(job: SaturateJob): Promise<SaturateRecord> {
  const { files, criteria, stepSeconds, budgetSeconds, secrets, output, signal } = job;
  const progress = openProgress(remarkStream(job));
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter('Build');
    log(planLine(job));
    const { root, suite, services } = files;
    const { lookups } = secrets;
    const built = [...services.values()];
    const choice = { choice: job.runtime, root, ownRoot: OWN_ROOT, services: built, lookups, signal, log };
    const prepared = await openRuntime(choice);
    await using runtime = prepared.runtime;
    const { serviceCore: service, loadCore: load } = runtime.runner;
    await keepToLoadCore({ service, load }, log);
    const head = await recordHead(job, prepared);
    progress.chapter('Measure');
    const asking = { suite, services, runtime, client: protocolClient(secrets), clock: systemClock, secrets, signal };
    return await saturate({ ...asking, progress, output, criteria, stepSeconds, budgetSeconds }, head);
  } finally {
    progress.finish();
  }
}

async function recordHead(job: SaturateJob, prepared: PreparedRuntime): Promise<SaturateHead> {
  const { files, criteria, stepSeconds, budgetSeconds } = job;
  // What a record says of machine and commit is what a run says.
  const profile: Profile = {
    name: 'saturate',
    rampScale: 0,
    warmupSeconds: 0,
    measureSeconds: 0,
    saturationSeconds: 0,
    rounds: 1,
  };
  const plan: Plan = { suite: files.suite, profile, modes: ['saturate'], seed: 0, slots: [] };
  const { wiregauge, startedAt, commit, configHash, runner, runtime, limits, tools, suite } = await headOf({
    plan,
    files,
    ...prepared,
  });
  const { name, title, operations } = suite;
  return {
    kind: 'saturate',
    schema: SATURATE_SCHEMA,
    ...{ wiregauge, startedAt, commit, configHash, runner, runtime, limits, tools },
    suite: { name, title, operations },
    criteria,
    step: { warmupSeconds: STEP_WARMUP_SECONDS, measureSeconds: stepSeconds },
    budgetSeconds,
  };
}

function planLine({ files, stepSeconds, budgetSeconds }: SaturateJob): string {
  const names = [...files.services.keys()];
  const seconds = names.length * searchSeconds(stepSeconds);
  return `plan: the highest rate of ${names.join(', ')}; about ${durationText(seconds)} once everything is set up, ${durationText(budgetSeconds)} at most`;
}
