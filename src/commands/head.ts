import packageFile from '../../package.json' with { type: 'json' };
import { readCommit } from '../adapters/git.ts';
import type { RunHead } from '../app/benchmark.ts';
import { type Plan, plannedSeconds } from '../core/plan.ts';
import { RUN_SCHEMA } from '../core/run.ts';
import { LIMITS, type PreparedRuntime } from './runtime.ts';
import { serviceRecord } from './service-record.ts';
import type { SuiteFiles } from './suite.ts';

/** All that is known of a run before its first measurement. */
export interface RunParts extends PreparedRuntime {
  readonly plan: Plan;
  readonly files: SuiteFiles;
}

/** What goes into `run.json` besides the measurements: whatever can move a number. */
export async function headOf({ plan, files, runtime, tools }: RunParts): Promise<RunHead> {
  const { suite, profile, modes, seed } = plan;
  const { name, title, tiers, published } = suite;
  const services = [...files.services.values()];
  return {
    schema: RUN_SCHEMA,
    wiregauge: packageFile.version,
    startedAt: new Date().toISOString(),
    commit: await readCommit(files.root),
    configHash: files.configHash,
    seed,
    runner: runtime.runner,
    runtime: { name: runtime.name, reason: runtime.reason },
    limits: LIMITS,
    tools: tools.versions,
    suite: {
      name,
      title,
      operations: suite.operations.map((operation) => ({ name: operation.name, share: operation.share })),
      tiers,
      ...(published !== undefined && { published }),
    },
    services: services.map((service) => serviceRecord(service, runtime.name)),
    plan: { profile, modes, plannedSeconds: plannedSeconds(plan) },
  };
}
