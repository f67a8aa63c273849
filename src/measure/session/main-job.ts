import { KnownError, messageOf } from '../../foundation/errors.ts';
import { type Plan, SOAK } from '../../model/plan.ts';
import { comparedServices, mostRounds, pairedSeconds, type RoundProfile, roundSeconds } from '../../model/rounds.ts';
import { withVersus } from '../../model/run/comparison.ts';
import type { MainRun, RunInRounds } from '../../model/run/run.ts';
import { comparableServices, suiteOfServices } from '../../model/suite/groups.ts';
import { mayCount, timeToCountHead } from '../instructions/time.ts';
import { countCalls } from '../plans/calls.ts';
import { countHead } from '../plans/count.ts';
import { measureRun, type RunBench } from '../plans/run.ts';
import { keepIn } from '../trial/keep.ts';
import type { VersionBench } from '../trial/versions.ts';
import { pairedServices, runtimeSides, versusSides } from './one-build.ts';
import { runPlan } from './plan-line.ts';
import { measureRounds } from './rounds.ts';
import { type RunParts, runFactsOf, sizesOf } from './run-facts.ts';
import { withLimits } from './runtime.ts';
import { inSession, type Job, type Session, versionBench } from './session.ts';
import { onlyServices } from './versions/suites.ts';

interface MainJob extends Job, Pick<RunBench, 'plan' | 'output'>, Pick<RunParts, 'microBenchmarks'> {
  readonly budgetSeconds: number | undefined;
  readonly rounds: RoundProfile | undefined;
}

export interface Measured {
  readonly run: MainRun;
  readonly isWhole: boolean;
}

/** Builds the services, measures them in trials, compares them in rounds, and counts. The output folder has all results so far. */
export async function measureMainJob(job: MainJob): Promise<Measured> {
  const { plan } = job;
  const canCount = await mayCount({ counts: isCounted(plan) });
  const atOnce = job.rounds === undefined ? 1 : 2;
  return await inSession({ ...job, atOnce }, runPlan({ ...job, canCount }), async (session) => {
    const { head } = session.prepared;
    const files = withLimits(job.files, head);
    const sizes = await sizesOf(head.runtime, [...files.services.values()]);
    const facts = { ...(await runFactsOf({ ...job, files, ...head })), sizes };
    session.progress.chapter('Measure');
    const bench = { ...job, ...session, services: files.services, runtime: head.runtime };
    const { run, isWhole } = await inRounds(job, await measureRun(bench, facts), session);
    return { run: await withCounts(job, await withCalls(job, run, session), session), isWhole };
  });
}

async function withCounts(job: MainJob, run: MainRun, session: Session): Promise<MainRun> {
  const { plan } = job;
  const { progress, signal, log } = session;
  const services = isCounted(plan) ? ownServices(job, run) : [];
  try {
    const secondsLeft = secondsAfter(job, run);
    const { runtime } = session.prepared.head;
    const countingSeconds = await timeToCountHead({ services, secondsLeft }, runtime, log);
    if (countingSeconds === undefined || signal.aborted) {
      return run;
    }
    progress.chapter('Instructions');
    const bench = headBench(job, services, session);
    const instructions = await countHead({ ...bench, budgetSeconds: countingSeconds });
    return await kept(job, { ...run, instructions });
  } catch (thrown) {
    refuseMistake(thrown, signal);
    log(`instructions are not counted: ${messageOf(thrown)}`);
    return run;
  }
}

function isCounted({ profile }: Plan): boolean {
  return profile.name !== 'smoke' && profile.name !== SOAK;
}

function refuseMistake(thrown: unknown, signal: AbortSignal): void {
  if (!(signal.aborted || thrown instanceof KnownError)) {
    throw thrown;
  }
}

async function withCalls(job: MainJob, run: MainRun, session: Session): Promise<MainRun> {
  if (job.signal.aborted || job.plan.profile.name === SOAK || secondsAfter(job, run) === 0) {
    return run;
  }
  const calls = await countCalls(headBench(job, ownServices(job, run), session));
  return calls === undefined ? run : await kept(job, { ...run, calls });
}

async function kept({ output }: MainJob, run: MainRun): Promise<MainRun> {
  await keepIn(output)(run);
  return run;
}

function headBench({ plan, files }: MainJob, services: readonly string[], session: Session): VersionBench {
  const suite = { ...plan.suite, services };
  const head = { ...files, suite };
  return {
    ...versionBench(session, { suite, base: head, head }, { interleave: 'blocks', comparesVersions: false }),
    versions: { head: { ...head, ...session.prepared.head } },
  };
}

function secondsAfter({ budgetSeconds = Number.POSITIVE_INFINITY }: MainJob, { spent, versus }: MainRun): number {
  return Math.max(0, budgetSeconds - spent.totalSeconds - (versus?.spent.totalSeconds ?? 0));
}

function ownServices({ plan, files }: MainJob, { failures }: MainRun): readonly string[] {
  return plan.suite.services.filter((name) => {
    const service = files.services.get(name);
    const isOwn = service !== undefined && service.address === undefined;
    return isOwn && failures.every((failure) => failure.service !== name);
  });
}

async function inRounds(job: MainJob, run: MainRun, session: Session): Promise<Measured> {
  const { plan, rounds: profile, files, budgetSeconds = Number.POSITIVE_INFINITY, signal } = job;
  const measured = { run, isWhole: run.failures.length === 0 };
  if (profile === undefined || signal.aborted) {
    return measured;
  }
  const isMeasured = (name: string): boolean => run.failures.every(({ service }) => service !== name);
  const services =
    job.runtime === 'both' ? pairedServices(files, isMeasured) : comparableServices(plan.suite).filter(isMeasured);
  if (services.length < 2) {
    session.log('services are not compared with each other: fewer than two of them could be measured');
    return measured;
  }
  const place = { runtime: session.prepared.head.runtime.name, services: files.services };
  const secondsLeft = budgetSeconds - run.spent.totalSeconds;
  const compared = { ...plan.suite, services: comparedServices({ ...plan.suite, services }, place) };
  if (roundSeconds(profile, compared, place) > secondsLeft) {
    session.log('services are not compared with each other: the budget leaves no time');
    const cut = { slots: run.plan.cut?.slots ?? 0, rounds: mostRounds(profile) };
    return { ...measured, run: await kept(job, { ...run, plan: { ...run.plan, cut } }) };
  }
  let soFar: MainRun = run;
  const keep = async (rounds: RunInRounds): Promise<void> => {
    soFar = await kept(job, withVersus(run, rounds));
  };
  try {
    const suite = suiteOfServices(plan.suite, services);
    const chosen = { ...onlyServices(files, services), suite };
    const sides = await (job.runtime === 'both' ? runtimeSides(chosen) : versusSides(chosen));
    // A machine that takes three times the planned time would only confirm that it is slow.
    const limit = Math.min(3 * pairedSeconds(profile, suite, place), secondsLeft);
    await measureRounds(session, { ...sides, profile, seed: plan.seed, budgetSeconds: limit, keep, counts: false });
    return { ...measured, run: soFar };
  } catch (thrown) {
    refuseMistake(thrown, signal);
    session.log(`the rounds ended early: ${messageOf(thrown)}`);
    return { run: soFar, isWhole: false };
  }
}
