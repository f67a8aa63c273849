import packageFile from '../../../package.json' with { type: 'json' };
import { readCommit } from '../../host/git/git.ts';
import { type Plan, plannedSeconds } from '../../model/plan.ts';
import { RUN_SCHEMA } from '../../model/run/run.ts';
import { sweepRecord } from '../../model/run/sweep-points.ts';
import type { Suite } from '../../model/suite.ts';
import type { SuiteFiles } from '../../project/suite.ts';
import type { RunHead } from '../slots/benchmark.ts';
import { LIMITS, type PreparedRuntime } from './runtime.ts';
import { serviceRecord } from './service-record.ts';

/** All that is known of a run before its first measurement. */
export interface RunParts extends PreparedRuntime {
  readonly plan: Plan;
  readonly files: SuiteFiles;
}

/** What goes into `run.json` besides the measurements: whatever can move a number. */
export async function headOf({ plan, files, runtime, tools }: RunParts): Promise<RunHead> {
  const { suite, profile, modes, seed } = plan;
  const { tiers, published } = suite;
  const sweep = sweepRecord(suite);
  const services = [...files.services.values()];
  return {
    schema: RUN_SCHEMA,
    ...(await measurementOrigin(files, { runtime, tools })),
    seed,
    suite: {
      ...suiteRecord(suite),
      tiers,
      ...(sweep !== undefined && { sweep }),
      ...(published !== undefined && { published }),
    },
    services: services.map((service) => serviceRecord(service, runtime.name)),
    plan: { profile, modes, plannedSeconds: plannedSeconds(plan) },
  };
}

/** What every measurement says of itself, whatever it measures: when, of which commit, on which machine, and with what. */
type Origin = Pick<
  RunHead,
  'wiregauge' | 'startedAt' | 'commit' | 'configHash' | 'runner' | 'runtime' | 'limits' | 'tools'
>;

/** The origin of a measurement that begins now. */
export async function measurementOrigin(files: SuiteFiles, { runtime, tools }: PreparedRuntime): Promise<Origin> {
  return {
    wiregauge: packageFile.version,
    startedAt: new Date().toISOString(),
    commit: await readCommit(files.root),
    configHash: files.configHash,
    runner: runtime.runner,
    runtime: { name: runtime.name, reason: runtime.reason },
    limits: LIMITS,
    tools: tools.versions,
  };
}

/** What every measurement says of the suite. */
export function suiteRecord({
  name,
  title,
  operations,
}: Suite): Pick<RunHead['suite'], 'name' | 'title' | 'operations'> {
  return { name, title, operations: operations.map((operation) => ({ name: operation.name, share: operation.share })) };
}
