import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { protocolClient } from '../adapters/client.ts';
import { systemClock } from '../adapters/clock.ts';
import { keepToLoadCore } from '../adapters/cores.ts';
import { outputFolder } from '../adapters/output-folder.ts';
import { openProgress } from '../adapters/progress.ts';
import { benchmark, RUN_FILE } from '../app/benchmark.ts';
import type { OutputFolder } from '../app/ports.ts';
import { ConfigError } from '../core/errors.ts';
import { suspicionsOf } from '../core/history/comparison.ts';
import { type Mode, type Plan, PROFILES, plannedSeconds, planRun } from '../core/plan.ts';
import type { Run } from '../core/run.ts';
import type { Secrets } from '../core/secrets.ts';
import { durationText } from './budget.ts';
import { compare } from './compare.ts';
import { withCheckedContracts } from './contracts.ts';
import { headOf } from './head.ts';
import { OWN_ROOT, writableRoot } from './own-root.ts';
import { policyFor } from './policy.ts';
import { againstBaseline } from './read.ts';
import { judgementData, tellReports, type WrittenReports, writeReports } from './report.ts';
import { remarkLog, remarkStream } from './result.ts';
import { openRuntime, type RuntimeChoice } from './runtime.ts';
import { takeSecrets } from './secrets.ts';
import { interruptible } from './signals.ts';
import { readSuite, type SuiteFiles, suiteRoot } from './suite.ts';

const CONFIRMATION_SECONDS = 600;

export interface RunFlags {
  readonly suite?: string;
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
  readonly json?: boolean;
}

/**
 * `wiregauge run`: the main job. Exit code 0; 1 where a suspicion was confirmed, or fails by `--gate history`; 2 where something
 * could not be measured; 130 after Ctrl-C.
 */
export async function run(flags: RunFlags): Promise<number> {
  const root = await writableRoot(suiteRoot(process.cwd(), OWN_ROOT));
  const files = withCheckedContracts(readSuite(root, flags.suite, flags.services));
  const secrets = takeSecrets(files.secrets);
  const plan = planOf(flags, files);
  const policy = policyFor(files.root, files.suite, undefined);
  const judge = await againstBaseline({ against: flags.against, suite: files.suite.name, policy });
  const output = await outputFolder(flags.out);
  let written: WrittenReports | undefined;
  const exitCode = await interruptible(async (signal) => {
    const judgement = judge(await measure({ flags, files, secrets, plan, output, signal }));
    written = await writeReports(judgement, flags.out);
    return judgement.run.failures.length > 0 ? 2 : 0;
  });
  return written === undefined ? exitCode : await end(flags, written, exitCode);
}

/** Tells the run and does what a suspicion against earlier runs leads to; the one document of `--json` has both. */
async function end(flags: RunFlags, written: WrittenReports, exitCode: number): Promise<number> {
  const telling = { command: 'run', json: flags.json, run: join(flags.out, RUN_FILE) };
  const { against } = written.judgement;
  const isSuspicious = exitCode === 0 && against !== undefined && suspicionsOf(against).length > 0;
  if (!isSuspicious || flags.onSuspicion !== 'confirm') {
    tellReports(telling, written);
    return isSuspicious && flags.gate === 'history' ? 1 : exitCode;
  }
  if (flags.json !== true) {
    tellReports(telling, written);
    return await confirm(flags, against.confirmationBase);
  }
  let confirmation: object = {};
  const confirmed = await confirm(flags, against.confirmationBase, ({ judgement, reports }) => {
    confirmation = { ...judgementData(judgement), reports };
  });
  tellReports({ ...telling, beside: { confirmation } }, written);
  return confirmed;
}

/** Compares with the newest stored run in which nothing was suspicious: its verdict counts, not the suspicion. */
async function confirm(
  flags: RunFlags,
  base: string | undefined,
  tell?: (written: WrittenReports) => void,
): Promise<number> {
  if (base === undefined) {
    throw new ConfigError('the suspicion cannot be confirmed: no stored run without one has a commit', {
      next: 'Compare by hand: wiregauge compare --base <ref>.',
    });
  }
  const { suite, services, runtime, out, json } = flags;
  remarkLog(flags)(`\nconfirming the suspicion: base ${base.slice(0, 10)} against the working tree`);
  const comparison = {
    base,
    ...(suite !== undefined && { suite }),
    ...(services !== undefined && { services }),
    profile: 'standard',
    budget: CONFIRMATION_SECONDS,
    runtime,
    interleave: 'blocks',
    out: join(out, 'confirmation'),
    json: json === true,
  } as const;
  return await compare(comparison, tell);
}

interface Job {
  readonly flags: RunFlags;
  readonly files: SuiteFiles;
  readonly secrets: Secrets;
  readonly plan: Plan;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

async function measure({ flags, files, secrets, plan, output, signal }: Job): Promise<Run> {
  const progress = openProgress(remarkStream(flags));
  try {
    const services = [...files.services.values()];
    const log = (line: string): void => progress.line(line);
    progress.chapter('Build');
    log(planLine(plan));
    const { lookups } = secrets;
    const choice = { choice: flags.runtime, root: files.root, ownRoot: OWN_ROOT, services, lookups, signal, log };
    const { runtime: opened, tools } = await openRuntime(choice);
    await using runtime = opened;
    const { serviceCore: service, loadCore: load } = runtime.runner;
    await keepToLoadCore({ service, load }, log);
    const head = await headOf({ plan, files, runtime, tools });
    const client = protocolClient(secrets);
    const { services: byName } = files;
    progress.chapter('Measure');
    return await benchmark(
      { plan, services: byName, runtime, client, secrets, clock: systemClock, progress, output, signal },
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
