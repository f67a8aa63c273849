import { KnownError, messageOf } from '../../foundation/errors.ts';
import { keepToLoadCore } from '../../host/machine/machine.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import { heldServices, mostRounds, pairedSeconds, type RoundProfile, roundSeconds } from '../../model/rounds.ts';
import { withVersus } from '../../model/run/comparison.ts';
import type { MainJobRun, RunInRounds, SlotRun } from '../../model/run/run.ts';
import { comparableServices, isSameGroup, suiteOfServices } from '../../model/suite/groups.ts';
import { mayCount, timeToCountHead } from '../instructions/time.ts';
import { countCalls } from '../plans/calls.ts';
import { countHead } from '../plans/count.ts';
import { measureRun, type RunBench } from '../plans/run.ts';
import { interleaveOf, type VersionBench } from '../plans/versions.ts';
import { answerBook } from '../trial/answers.ts';
import { trialBench } from '../trial/bench.ts';
import { keepIn } from '../trial/keep.ts';
import { type Built, measureOneBuild, pairedServices, runtimeSides, versusSides, whileBuilt } from './one-build.ts';
import { runPlan } from './plan-line.ts';
import { type RunParts, runFactsOf } from './run-facts.ts';
import type { RuntimeChoice } from './runtime.ts';
import { onlyServices } from './versions/suites.ts';

interface MainJob
  extends Pick<RunBench, 'plan' | 'secrets' | 'budgetSeconds' | 'output' | 'signal'>,
    Pick<RunParts, 'files' | 'microBenchmarks'>,
    Pick<OutputOptions, 'json'> {
  readonly rounds: RoundProfile | undefined;
  readonly runtime: RuntimeChoice;
}

export interface Measured {
  readonly run: SlotRun | MainJobRun;
  readonly isWhole: boolean;
}

/** Builds the services, measures them in slots, compares them in rounds, and counts. The output folder has all so far. */
export async function measureMainJob(job: MainJob): Promise<Measured> {
  const { plan, rounds, budgetSeconds, files, secrets, output, signal } = job;
  const canCount = await mayCount({ counts: plan.profile.name !== 'smoke' });
  const planned = runPlan({ plan, rounds, budgetSeconds, canCount });
  return await whileBuilt({ ...job, planned }, async (built) => {
    const { prepared, progress } = built;
    const { runtime } = prepared;
    await using _kept = await keepToLoadCore(runtime.runner, (line) => progress.line(line));
    const facts = await runFactsOf({ ...job, ...prepared });
    const bench = trialBench({ secrets, progress, signal });
    progress.chapter('Measure');
    const run = await measureRun({ ...bench, plan, services: files.services, runtime, budgetSeconds, output }, facts);
    const measured = await withCalls(job, await inRounds(job, run, built), built);
    return await withCounts(job, measured, built);
  });
}

async function withCounts(job: MainJob, measured: Measured, { prepared, progress }: Built): Promise<Measured> {
  const { plan, output, signal } = job;
  const { run } = measured;
  const log = (line: string): void => progress.line(line);
  const services = plan.profile.name === 'smoke' ? [] : ownServices(job, run);
  try {
    const secondsLeft = secondsAfter(job, run);
    const countingSeconds = await timeToCountHead({ services, secondsLeft }, prepared.runtime, log);
    if (countingSeconds === undefined || signal.aborted) {
      return measured;
    }
    progress.chapter('Instructions');
    const bench = headBench(job, services, { prepared, progress });
    const instructions = await countHead({ ...bench, budgetSeconds: countingSeconds });
    const counted = { ...run, instructions };
    await keepIn(output)(counted);
    return { ...measured, run: counted };
  } catch (thrown) {
    refuseMistake(thrown, signal);
    progress.line(`instructions are not counted: ${messageOf(thrown)}`);
    return measured;
  }
}

function refuseMistake(thrown: unknown, signal: AbortSignal): void {
  if (!(signal.aborted || thrown instanceof KnownError)) {
    throw thrown;
  }
}

async function withCalls(job: MainJob, measured: Measured, built: Built): Promise<Measured> {
  const services = ownServices(job, measured.run);
  if (job.signal.aborted || secondsAfter(job, measured.run) === 0) {
    return measured;
  }
  const calls = await countCalls(headBench(job, services, built));
  if (calls === undefined) {
    return measured;
  }
  const run = { ...measured.run, calls };
  await keepIn(job.output)(run);
  return { ...measured, run };
}

function headBench(
  { plan, files, secrets, signal }: MainJob,
  services: readonly string[],
  { prepared: { runtime }, progress }: Built,
): VersionBench {
  const suite = { ...plan.suite, services };
  const sides = { base: files.services, head: files.services, services, runtime: runtime.name };
  const log = (line: string): void => progress.line(line);
  return {
    ...trialBench({ secrets, progress, signal }),
    ...{ suite, interleave: interleaveOf('blocks', sides, log) },
    versions: { head: { runtime, suite, services: files.services } },
    answers: answerBook({
      ...{ mask: secrets.mask, comparesVersions: false, note: log },
      areAlike: (one, other) => isSameGroup(suite, one, other),
    }),
  };
}

function secondsAfter(
  { budgetSeconds = Number.POSITIVE_INFINITY }: MainJob,
  { spent, versus }: Measured['run'],
): number {
  return Math.max(0, budgetSeconds - spent.totalSeconds - (versus?.spent.totalSeconds ?? 0));
}

function ownServices({ plan, files }: MainJob, { failures }: Measured['run']): readonly string[] {
  return plan.suite.services.filter((name) => {
    const service = files.services.get(name);
    const isOwn = service !== undefined && service.address === undefined;
    return isOwn && failures.every((failure) => failure.service !== name);
  });
}

async function inRounds(job: MainJob, run: SlotRun, built: Built): Promise<Measured> {
  const { plan, rounds: profile, files, secrets, budgetSeconds = Number.POSITIVE_INFINITY, output, signal } = job;
  const { prepared, progress } = built;
  const measured = { run, isWhole: run.failures.length === 0 };
  if (profile === undefined || signal.aborted) {
    return measured;
  }
  const isMeasured = (name: string): boolean => run.failures.every(({ service }) => service !== name);
  const services =
    job.runtime === 'both' ? pairedServices(files, isMeasured) : comparableServices(plan.suite).filter(isMeasured);
  if (services.length < 2) {
    progress.line('services are not compared with each other: fewer than two of them could be measured');
    return measured;
  }
  const place = { runtime: prepared.runtime.name, services: files.services };
  const secondsLeft = budgetSeconds - run.spent.totalSeconds;
  const held = { ...plan.suite, services: heldServices({ ...plan.suite, services }, place) };
  if (roundSeconds(profile, held, place) > secondsLeft) {
    progress.line('services are not compared with each other: the budget leaves no time');
    const cut = { slots: run.plan.cut?.slots ?? 0, rounds: mostRounds(profile) };
    const left = { ...run, plan: { ...run.plan, cut } };
    await keepIn(output)(left);
    return { ...measured, run: left };
  }
  let kept: Measured['run'] = run;
  const keep = async (rounds: RunInRounds): Promise<void> => {
    kept = withVersus(run, rounds);
    await keepIn(output)(kept);
  };
  try {
    const suite = suiteOfServices(plan.suite, services);
    const chosen = { ...onlyServices(files, services), suite };
    const sides = await (job.runtime === 'both' ? runtimeSides(chosen) : versusSides(chosen));
    // A machine that takes three times as long as planned has shown what it is.
    const limit = Math.min(3 * pairedSeconds(profile, suite, place), secondsLeft);
    await measureOneBuild({ ...sides, profile, seed: plan.seed, budgetSeconds: limit, secrets, keep, signal }, built);
    return { ...measured, run: kept };
  } catch (thrown) {
    refuseMistake(thrown, signal);
    progress.line(`the rounds ended early: ${messageOf(thrown)}`);
    return { run: kept, isWhole: false };
  }
}
