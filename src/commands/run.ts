import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { protocolClient } from '../adapters/client.ts';
import { systemClock } from '../adapters/clock.ts';
import { keepToLoadCore } from '../adapters/cores.ts';
import { outputFolder } from '../adapters/output-folder.ts';
import { openProgress } from '../adapters/progress.ts';
import { benchmark } from '../app/benchmark.ts';
import type { OutputFolder } from '../app/ports.ts';
import { ConfigError } from '../core/errors.ts';
import { type HistoryResult, suspicionsOf } from '../core/history/comparison.ts';
import type { Judgement } from '../core/judgement.ts';
import { type Mode, type Plan, PROFILES, plannedSeconds, planRun } from '../core/plan.ts';
import type { Run } from '../core/run.ts';
import { durationText } from './budget.ts';
import { compare } from './compare.ts';
import { headOf } from './head.ts';
import { OWN_ROOT } from './own-root.ts';
import { policyFor } from './policy.ts';
import { againstBaseline } from './read.ts';
import { writeReports } from './report.ts';
import { openRuntime, type RuntimeChoice } from './runtime.ts';
import { interruptible } from './signals.ts';
import { readSuite, type SuiteFiles, suiteRoot } from './suite.ts';

const CONFIRMATION_SECONDS = 600;

export interface RunFlags {
  readonly suite: string;
  readonly profile: string;
  readonly services?: readonly string[];
  readonly mode: readonly Mode[];
  readonly runtime: RuntimeChoice;
  readonly rounds?: number;
  readonly seed?: number;
  readonly against?: string;
  /** What a suspicion against the stored runs leads to: a line in the report, or a comparison in rounds. */
  readonly onSuspicion: 'warn' | 'confirm';
  /** `history`: a suspicion fails the job by itself. */
  readonly gate?: 'history';
  readonly out: string;
}

/**
 * `wiregauge run`: the main job. Exit code 0; 1 where a suspicion was confirmed, or fails by `--gate history`; 2 where something
 * could not be measured; 130 after Ctrl-C.
 */
export async function run(flags: RunFlags): Promise<number> {
  const files = readSuite(suiteRoot(process.cwd(), OWN_ROOT), flags.suite, flags.services);
  const plan = planOf(flags, files);
  const policy = policyFor(files.root, files.suite, undefined);
  const judge = await againstBaseline({ against: flags.against, suite: files.suite.name, policy });
  const output = await outputFolder(flags.out);
  let against: Judgement['against'];
  const exitCode = await interruptible(async (signal) => {
    const measured = await measure({ flags, files, plan, output, signal });
    const judgement = judge(measured);
    against = judgement.against;
    await writeReports(judgement, flags.out);
    return measured.failures.length > 0 ? 2 : 0;
  });
  return exitCode === 0 && against !== undefined ? await followUp(flags, against) : exitCode;
}

/** What a suspicion against earlier runs leads to. */
async function followUp(flags: RunFlags, against: HistoryResult): Promise<number> {
  const suspicions = suspicionsOf(against).length;
  if (suspicions > 0 && flags.onSuspicion === 'confirm') {
    return await confirm(flags, against.confirmationBase);
  }
  return suspicions > 0 && flags.gate === 'history' ? 1 : 0;
}

/** Compares with the newest stored run in which nothing was suspicious: its verdict counts, not the suspicion. */
async function confirm({ suite, services, runtime, out }: RunFlags, base: string | undefined): Promise<number> {
  if (base === undefined) {
    throw new ConfigError('the suspicion cannot be confirmed: no stored run without one has a commit', {
      next: 'Compare by hand: wiregauge compare --base <ref>.',
    });
  }
  process.stdout.write(`\nconfirming the suspicion: base ${base.slice(0, 10)} against the working tree\n`);
  return await compare({
    base,
    suite,
    ...(services !== undefined && { services }),
    profile: 'standard',
    budget: CONFIRMATION_SECONDS,
    runtime,
    interleave: 'blocks',
    out: join(out, 'confirmation'),
  });
}

interface Job {
  readonly flags: RunFlags;
  readonly files: SuiteFiles;
  readonly plan: Plan;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

async function measure({ flags, files, plan, output, signal }: Job): Promise<Run> {
  const progress = openProgress(process.stdout);
  try {
    const services = [...files.services.values()];
    const log = (line: string): void => progress.line(line);
    progress.chapter('Build');
    log(planLine(plan));
    const choice = { choice: flags.runtime, root: files.root, ownRoot: OWN_ROOT, services, signal, log };
    const { runtime: opened, tools } = await openRuntime(choice);
    await using runtime = opened;
    const { serviceCore: service, loadCore: load } = runtime.runner;
    await keepToLoadCore({ service, load }, log);
    const head = await headOf({ plan, files, runtime, tools });
    const client = protocolClient(files.root);
    const { services: byName } = files;
    progress.chapter('Measure');
    return await benchmark(
      { plan, services: byName, runtime, client, clock: systemClock, progress, output, signal },
      head,
    );
  } finally {
    progress.finish();
  }
}

function planOf(flags: RunFlags, { suite }: SuiteFiles): Plan {
  const named = PROFILES[flags.profile];
  if (named === undefined) {
    throw new ConfigError(`there is no profile "${flags.profile}"`, {
      next: `Profiles: ${Object.keys(PROFILES).join(', ')}.`,
    });
  }
  const profile = { ...named, rounds: flags.rounds ?? named.rounds };
  return planRun({ suite, profile, modes: flags.mode, seed: flags.seed ?? randomInt(1, 2 ** 31) });
}

function planLine(plan: Plan): string {
  const { services, tiers } = plan.suite;
  return `plan: ${services.join(', ')}; ${tiers.length} tiers; ${plan.slots.length} fresh starts; about ${durationText(plannedSeconds(plan))} once everything is set up (profile ${plan.profile.name}, seed ${plan.seed})`;
}
