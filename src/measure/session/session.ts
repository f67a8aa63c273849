import type { MeasurementError } from '../../foundation/errors.ts';
import { systemClock } from '../../host/machine/clock.ts';
import { keepToLoadCore } from '../../host/machine/machine.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import { progressOf } from '../../host/terminal/progress.ts';
import type { Side } from '../../model/rounds.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { protocolClient } from '../../protocols/client.ts';
import { answerBook } from '../trial/answers.ts';
import type { TrialBench } from '../trial/bench.ts';
import { interleaveOf, type VersionBench } from '../trial/versions.ts';
import type { PlanLine } from './plan-line.ts';
import { expectedPlace, openRuntime, type PreparedRuntime, type RuntimeRequest } from './runtime.ts';
import type { VersionSuites } from './versions/suites.ts';

/** Options of every job. */
export interface Job
  extends Pick<OutputOptions, 'json'>,
    Pick<TrialBench, 'secrets' | 'signal' | 'adviceFor'>,
    Pick<RuntimeRequest, 'atOnce'> {
  /** Suite of the head. */
  readonly files: SuiteFiles;
  readonly runtime: RuntimeRequest['choice'];
}

/** Both sides of a job, built; one build, or the only one of two that could be built, is used for both. Disposing removes their leftovers. */
export interface Builds extends AsyncDisposable {
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly unbuilt?: { readonly side: Side; readonly failure: MeasurementError } | undefined;
}

/** Everything that the plans of a job share. */
export interface Session extends TrialBench, Omit<Builds, keyof AsyncDisposable> {
  readonly log: (line: string) => void;
}

/** Builds the services of a job and does its work, with this program on the core of the load; removes the builds afterwards. */
export async function inSession<Result>(
  job: Job,
  planned: PlanLine,
  work: (session: Session) => Promise<Result>,
  build: { readonly title: string; readonly open: (log: Session['log']) => Promise<Builds> } = oneBuild(job),
): Promise<Result> {
  const progress = progressOf(job);
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter(build.title);
    const place = expectedPlace(job.runtime, job.files);
    log(planned(place));
    job.files.leftOut?.forEach(log);
    await using builds = await build.open(log);
    const { runtime } = builds.prepared.head;
    const other = planned({ ...place, runtime: runtime.name });
    if (other !== planned(place)) {
      log(other);
    }
    await using _kept = await keepToLoadCore(runtime.runner, log);
    const { secrets, signal, adviceFor } = job;
    const { prepared, unbuilt } = builds;
    const bench = { progress, secrets, signal, adviceFor, client: protocolClient(secrets), clock: systemClock };
    return await work({ ...bench, prepared, unbuilt, log });
  } finally {
    progress.finish();
  }
}

function oneBuild({ files, runtime: choice, atOnce = 1, secrets: { lookups }, signal }: Job) {
  const services = [...files.services.values()];
  return {
    title: 'Build',
    open: async (log: Session['log']) =>
      usedForBoth(await openRuntime({ choice, root: files.root, services, atOnce, lookups, signal, log })),
  };
}

export function usedForBoth(built: PreparedRuntime, unbuilt?: Builds['unbuilt']): Builds {
  return {
    ...{ prepared: { base: built, head: built }, unbuilt },
    [Symbol.asyncDispose]: () => built.runtime[Symbol.asyncDispose](),
  };
}

/** Bench for plans of versions, which the caller adds: the head alone, or both sides. */
export function versionBench(
  session: Session,
  { suite, base, head }: Pick<VersionSuites, 'suite' | Side>,
  { interleave, comparesVersions }: Pick<VersionBench, 'interleave'> & { readonly comparesVersions: boolean },
): Omit<VersionBench, 'versions'> {
  const { prepared, secrets, log } = session;
  const runtime = prepared.head.runtime.name;
  const sides = { services: suite.services, base: base.services, head: head.services, runtime };
  const areAlike = (one: string, other: string): boolean => isSameGroup(suite, one, other);
  return {
    ...session,
    suite,
    interleave: interleaveOf(interleave, sides, log),
    answers: answerBook({ mask: secrets.mask, comparesVersions, areAlike, note: log }),
  };
}
