import { readlinkSync } from 'node:fs';
import { processTree } from '../../host/machine/proc.ts';
import type { ProfilerName } from '../../model/run/functions/profiler.ts';
import { nodeItself } from './node.ts';
import { perf } from './perf.ts';
import { pySpy } from './py-spy.ts';
import type { Sampler } from './sampler.ts';

/** A process of a service. */
export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly cpuTicks: number;
  /** The file that it executes; empty if nobody may know. */
  readonly program: string;
}

/** What looks at a service, and at which of its processes. */
export interface Choice {
  readonly sampler: Sampler;
  readonly pids: readonly number[];
  /** Whether the profiler sees what a process executes. */
  readonly isSeen: (one: Running) => boolean;
}

/** All processes of a service, parents before children, by the first ones. */
export function runningOf(first: readonly number[]): readonly Running[] {
  return first.flatMap((pid) =>
    processTree(pid).map(({ pid: own, parent, cpuTicks, reapedTicks }) => ({
      ...{ pid: own, parent, cpuTicks: cpuTicks - reapedTicks },
      program: programOf(own),
    })),
  );
}

function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** Profilers that follow from what a program is. */
type NameByProgram = Exclude<ProfilerName, 'pprof'>;

const SAMPLERS: Readonly<Record<NameByProgram, Sampler>> = { 'py-spy': pySpy, 'Node.js': nodeItself, perf };

/** What looks at a service: by what those of its processes are that took most CPU time. Undefined if it has none. */
export function chosenSampler(running: readonly Running[]): Choice | undefined {
  const ticks = new Map<NameByProgram, number>();
  for (const one of running) {
    const name = profilerFor(one.program);
    ticks.set(name, (ticks.get(name) ?? 0) + one.cpuTicks);
  }
  const [most] = [...ticks].sort(([, left], [, right]) => right - left);
  if (most === undefined) {
    return undefined;
  }
  const [name] = most;
  const isSeen = ({ program }: Running) => profilerFor(program) === name;
  const own = running.filter(isSeen);
  return { sampler: SAMPLERS[name], pids: (name === 'py-spy' ? topmost(own) : own).map(({ pid }) => pid), isSeen };
}

/** Which profiler a program is for, by its name. */
export function profilerFor(program: string): NameByProgram {
  const name = program.split('/').at(-1) ?? '';
  if (/^(python|pypy)[\d.]*[a-z]?$/.test(name)) {
    return 'py-spy';
  }
  return /^(node|nodejs)(-\d+)?$/.test(name) ? 'Node.js' : 'perf';
}

/** py-spy finds their children by itself. */
function topmost(own: readonly Running[]): readonly Running[] {
  const known = new Set(own.map(({ pid }) => pid));
  return own.filter(({ parent }) => !known.has(parent));
}

/** Of the CPU time that all processes took between two moments, that of some. */
export function cpuShare(before: readonly Running[], after: readonly Running[], isSeen: (one: Running) => boolean) {
  const then = new Map(before.map(({ pid, cpuTicks }) => [pid, cpuTicks]));
  const taken = (one: Running) => Math.max(0, one.cpuTicks - (then.get(one.pid) ?? 0));
  const all = after.reduce((sum, one) => sum + taken(one), 0);
  const seen = after.filter(isSeen).reduce((sum, one) => sum + taken(one), 0);
  return all === 0 ? 1 : seen / all;
}
