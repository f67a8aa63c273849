import { rm } from 'node:fs/promises';
import { MeasurementError } from '../../foundation/errors.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { unexplainedCpu } from '../../judge/profiler/growth.ts';
import { evidenceIn } from '../../judge/verdict/finding.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import type { ProfilerRecord, SampledProfile } from '../../model/run/functions.ts';
import { unitedLists } from '../../model/run/merge.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { readyForNode } from '../profiler/node.ts';
import { chosenPage, pageOfBoth } from '../profiler/pprof.ts';
import { type Choice, chosenSampler, cpuShare, runningOf } from '../profiler/programs.ts';
import { foldStacks } from '../profiler/stacks.ts';
import { saturationLoad, warmUp } from '../trial/blocks.ts';
import { attempted, blaming } from '../trial/failure.ts';
import { runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { type BuiltVersion, benchFor, type RoundBench, type StartName, versionTrial } from '../trial/versions.ts';

const SAMPLED_SECONDS = 8;

const BESIDES_SECONDS = 7;

export const PROFILED_SECONDS = 2 * (SAMPLED_SECONDS + BESIDES_SECONDS);

export type Profiling = (bench: RoundBench, name: Omit<StartName, 'start'>) => Promise<SampledProfile>;

interface ProfilingTime {
  readonly left: () => number;
  readonly profile?: Profiling;
}

/** Profiles services that took more CPU time without more instructions. Obstacles are noted. Undefined if none. */
export async function profileServices(
  bench: RoundBench,
  run: RunInRounds,
  { left, profile = profileVersion }: ProfilingTime,
): Promise<ProfilerRecord | undefined> {
  const required =
    bench.profiler === 'auto' && bench.versus === undefined
      ? unexplainedCpu(run, evidenceIn(judgeRun(run), 'change'))
      : [];
  const services = required.filter((service) => bench.versions.head.services.get(service)?.profiler !== 'off');
  if (services.length === 0) {
    return undefined;
  }
  bench.progress.chapter('Functions');
  const reported: ProfilerRecord[] = [];
  for (const service of services) {
    reported.push(await ofService(bench, service, { left, profile }));
  }
  // An abort leaves the measured part unchanged.
  return bench.signal.aborted ? undefined : unitedLists(reported);
}

const NO_TIME = {
  message: 'the budget left no time to profile it',
  next: `Raise --budget: profiling takes about ${PROFILED_SECONDS} s.`,
};

async function ofService(
  bench: RoundBench,
  service: string,
  { left, profile }: Required<ProfilingTime>,
): Promise<ProfilerRecord> {
  if (left() < PROFILED_SECONDS) {
    return { sampled: [], missing: [{ service, ...NO_TIME }] };
  }
  const { result = [], failure } = await attempted(bench, `${service}: no functions shown, because `, async () => [
    await profile(bench, { service, side: 'base' }),
    await profile(bench, { service, side: 'head' }),
  ]);
  const missing = failure === undefined ? [] : [{ service, message: failure.brief, next: failure.next }];
  return { sampled: result, missing };
}

async function profileVersion(
  roundBench: RoundBench,
  { service, side }: Omit<StartName, 'start'>,
): Promise<SampledProfile> {
  const bench = profilable(benchFor(roundBench, service), service);
  const sampled = await runTrial(bench, {
    ...versionTrial(bench, service, [side]),
    during: 'under load',
    blame: blaming,
    use: ([ready]) => sampledUnderLoad(bench, ready),
  });
  bench.progress.line(`${service}, ${side}: ${sampled.profiler} sampled ${sampled.stacks} stacks`);
  return sampled;
}

/** Service with settings that let its Node.js programs profile themselves. */
function profilable(bench: RoundBench, name: string): RoundBench {
  const ready = (version: BuiltVersion): BuiltVersion => {
    const service = version.services.get(name);
    return service === undefined ? version : { ...version, services: new Map([[name, readyForNode(service)]]) };
  };
  return { ...bench, versions: { base: ready(bench.versions.base), head: ready(bench.versions.head) } };
}

/** Profiles at saturation, where a service uses all the CPU time that it can, and the time yields most stacks. */
async function sampledUnderLoad(bench: RoundBench, version: ReadySubject): Promise<SampledProfile> {
  const { side, service, running, signal } = version;
  const first = running.processes;
  await warmUp(bench, [version], (seconds) => saturationLoad(bench, seconds));
  const choice = first && choiceFor(bench, version, first);
  if (first === undefined || choice === undefined) {
    const brief = 'its processes cannot be read, since they run in a virtual machine or on another machine';
    throw new MeasurementError(`${service.name}: ${brief}`, {
      code: 'WG-402',
      brief,
      next: 'To profile it, measure with `--runtime process`, or with a Docker engine on this machine.',
    });
  }
  const { sampler, pids, isSeen } = choice;
  const folder = await ownedFolder(machineOwner());
  try {
    const load = { ...saturationLoad(bench, SAMPLED_SECONDS), blocks: 1, seconds: SAMPLED_SECONDS + 1 };
    const before = runningOf(first);
    const [{ version: ofProfiler, stacks }] = await Promise.all([
      sampler.sample({ pids, seconds: SAMPLED_SECONDS, folder, signal }),
      runBlock(bench, version, load),
    ]);
    const share = cpuShare(before, runningOf(first), isSeen);
    const name = { service: service.name, side, profiler: sampler.name, version: ofProfiler.slice(0, 100) };
    return { ...name, share, ...foldStacks(stacks) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function choiceFor(bench: RoundBench, version: ReadySubject, first: readonly number[]): Choice | undefined {
  const { side, service, running } = version;
  const page = pageOfBoth(bench, { service: service.name, side });
  return page === undefined
    ? chosenSampler(runningOf(first))
    : chosenPage(page, { service: service.name, first, address: running.address });
}
