import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { protocolClient } from '../adapters/client.ts';
import { systemClock } from '../adapters/clock.ts';
import { keepToLoadCore } from '../adapters/cores.ts';
import { outputFolder } from '../adapters/output-folder.ts';
import { openProgress } from '../adapters/progress.ts';
import { benchmark } from '../app/benchmark.ts';
import { ConfigError } from '../core/errors.ts';
import { type Mode, type Plan, PROFILES, plannedSeconds, planRun } from '../core/plan.ts';
import { headOf } from './head.ts';
import { againstBaseline } from './read.ts';
import { writeReports } from './report.ts';
import { openRuntime, type RuntimeChoice } from './runtime.ts';
import { readSuite, type SuiteFiles, suiteRoot } from './suite.ts';

export interface RunFlags {
  readonly suite: string;
  readonly profile: string;
  readonly services?: readonly string[];
  readonly mode: readonly Mode[];
  readonly runtime: RuntimeChoice;
  readonly rounds?: number;
  readonly seed?: number;
  readonly against?: string;
  readonly out: string;
}

/** The folder of this package: the bundle lies in its `dist`. */
const OWN_ROOT = fileURLToPath(new URL('..', import.meta.url));

const INTERRUPTED = 130;

/** `wiregauge run`: the main job. Exit code 0, 2 where something could not be measured, 130 after Ctrl-C. */
export async function run(flags: RunFlags): Promise<number> {
  const files = readSuite(suiteRoot(process.cwd(), OWN_ROOT), flags.suite, flags.services);
  const plan = planOf(flags, files);
  const judge = againstBaseline(flags.against);
  const output = await outputFolder(flags.out);
  const progress = openProgress(process.stdout);
  const stop = new AbortController();
  const unlisten = stopOnSignals(stop);
  try {
    const services = [...files.services.values()];
    const log = (line: string): void => progress.line(line);
    log(planLine(plan));
    const choice = { choice: flags.runtime, root: files.root, ownRoot: OWN_ROOT, services, signal: stop.signal, log };
    const { runtime: opened, tools } = await openRuntime(choice);
    await using runtime = opened;
    const { serviceCore: service, loadCore: load } = runtime.runner;
    await keepToLoadCore({ service, load }, log);
    const head = await headOf({ plan, files, runtime, tools });
    const client = protocolClient(files.root);
    const { services: byName } = files;
    const bench = {
      plan,
      services: byName,
      runtime,
      client,
      clock: systemClock,
      progress,
      output,
      signal: stop.signal,
    };
    const measured = await benchmark(bench, head);
    progress.finish();
    await writeReports(judge(measured), flags.out);
    return stop.signal.aborted ? INTERRUPTED : measured.failures.length > 0 ? 2 : 0;
  } catch (thrown) {
    if (stop.signal.aborted) {
      process.stderr.write('wiregauge: interrupted before anything was measured\n');
      return INTERRUPTED;
    }
    throw thrown;
  } finally {
    progress.finish();
    unlisten();
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
  const seconds = Math.ceil(plannedSeconds(plan));
  const length = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const { services, tiers } = plan.suite;
  return `plan: ${services.join(', ')}; ${tiers.length} tiers; ${plan.slots.length} fresh starts; about ${length} once everything is set up (profile ${plan.profile.name}, seed ${plan.seed})`;
}

/** The first signal ends the run in good order; a second one ends the program, and the next start cleans up. */
function stopOnSignals(stop: AbortController): () => void {
  const listener = (): void => {
    if (stop.signal.aborted) {
      process.exit(INTERRUPTED);
    }
    process.stderr.write('\nwiregauge: stopping; what was measured so far is kept\n');
    stop.abort();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
  return () => {
    process.off('SIGINT', listener).off('SIGTERM', listener);
  };
}
