import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, ifPossible } from '../../foundation/errors.ts';
import { programOnPath, runChild } from '../../host/child.ts';
import { processTree } from '../../host/machine/proc.ts';
import type { ProfilerName } from '../../model/run/functions.ts';
import { nodeItself } from './node.ts';
import { readProfile, runProfiler, type Sampler } from './sampler.ts';
import { type Frame, frameOf, type Stack } from './stacks.ts';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly cpuTicks: number;
  /** File that it executes; empty if unreadable. */
  readonly program: string;
}

export interface Choice {
  readonly sampler: Sampler;
  readonly pids: readonly number[];
  /** True if the profiler can see what a process executes. */
  readonly isSeen: (one: Running) => boolean;
}

export function runningOf(first: readonly number[]): readonly Running[] {
  return first.flatMap((pid) =>
    processTree(pid).map(({ pid: own, parent, cpuTicks, reapedTicks }) => ({
      ...{ pid: own, parent, cpuTicks: cpuTicks - reapedTicks },
      program: ifPossible(() => readlinkSync(`/proc/${own}/exe`)) ?? '',
    })),
  );
}

/** Profilers that depend on the kind of program. */
type NameByProgram = Exclude<ProfilerName, 'pprof'>;

/** Profiler of a service, by its busiest processes. Undefined if it has none. */
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
  const known = new Set(own.map(({ pid }) => pid));
  // py-spy finds the children of processes.
  const looked = name === 'py-spy' ? own.filter(({ parent }) => !known.has(parent)) : own;
  return { sampler: SAMPLERS[name], pids: looked.map(({ pid }) => pid), isSeen };
}

export function profilerFor(program: string): NameByProgram {
  const name = program.split('/').at(-1) ?? '';
  if (/^(python|pypy)[\d.]*[a-z]?$/.test(name)) {
    return 'py-spy';
  }
  return /^(node|nodejs)(-\d+)?$/.test(name) ? 'Node.js' : 'perf';
}

export function cpuShare(before: readonly Running[], after: readonly Running[], isSeen: (one: Running) => boolean) {
  const then = new Map(before.map(({ pid, cpuTicks }) => [pid, cpuTicks]));
  const taken = (one: Running) => Math.max(0, one.cpuTicks - (then.get(one.pid) ?? 0));
  const all = after.reduce((sum, one) => sum + taken(one), 0);
  const seen = after.filter(isSeen).reduce((sum, one) => sum + taken(one), 0);
  return all === 0 ? 1 : seen / all;
}

/** Samples per second; not synchronous with events every 5 ms. */
const PERF_RATE = 199;

const PERF_NEXT =
  'It needs access to kernel events: run as root, or allow it with `sudo sysctl kernel.perf_event_paranoid=1`.';

/** Samples any program with perf; by the clock, since virtual machines count no cycles. */
export const perf: Sampler = {
  name: 'perf',
  async sample(sampling) {
    const program = programOnPath('perf');
    if (program === undefined) {
      throw new EnvironmentError('perf is not installed', {
        code: 'WG-213',
        next: 'To profile compiled programs, install it: `sudo apt-get install -y linux-perf` on Debian, `linux-tools-$(uname -r)` on Ubuntu.',
      });
    }
    const { pids, seconds, folder } = sampling;
    const [data, text] = [join(folder, 'perf.data'), join(folder, 'perf.txt')];
    const events = ['-e', 'cpu-clock', '-F', String(PERF_RATE), '-g', '-p', pids.join(','), '-o', data];
    // Does not copy programs into the user's cache.
    const look = [program, 'record', '--quiet', '--no-buildid-cache', ...events, '--', 'sleep', String(seconds)];
    await runProfiler({ argv: look, next: PERF_NEXT }, sampling);
    // Runs while the service runs: afterwards the files of a container are gone, and with them the names of its functions.
    const script = '"$1" script -i "$2" --no-inline -F comm,pid,ip,sym,dso 2>/dev/null >"$3" && "$1" version';
    const reported = await runProfiler(
      { argv: ['sh', '-c', script, 'perf', program, data, text], next: PERF_NEXT },
      sampling,
    );
    return { version: /(\d[\w.]*)/.exec(reported)?.[1] ?? '', stacks: perfStacks(readProfile(text)) };
  },
};

/** Stacks in the output of `perf script -F comm,pid,ip,sym,dso`: a line for the process, then the functions, innermost first. */
export function perfStacks(text: string): readonly Stack[] {
  return text.split(/\n[ \t]*\n/).flatMap((event) => {
    const frames = event.split('\n').flatMap((line) => frameIn(line) ?? []);
    return frames.length === 0 ? [] : [{ frames: frames.reverse(), count: 1 }];
  });
}

const FRAME = /^\s+[0-9a-f]+ (.+) \(([^()]*|\[[^\]]*\])\)$/;

function frameIn(line: string): Frame | undefined {
  const [, name, file] = FRAME.exec(line) ?? [];
  if (name === undefined || file === undefined) {
    return undefined;
  }
  // Names in Rust end with a hash of the build.
  const symbol = name === '[unknown]' ? '???' : name.replace(/::h[0-9a-f]{16}$/, '');
  return frameOf(symbol, file.startsWith('[kernel') || file.startsWith('[guest.kernel') ? 'kernel' : file);
}

const PY_SPY_RATE = 200;

const PY_SPY_NEXT =
  'It must be able to trace the processes of the service: run as root, or allow it with `sudo sysctl kernel.yama.ptrace_scope=0`.';

const pySpy: Sampler = {
  name: 'py-spy',
  async sample(sampling) {
    const program = programOnPath('py-spy');
    if (program === undefined) {
      throw new EnvironmentError('py-spy is not installed', {
        code: 'WG-213',
        next: 'To profile Python, install it: `pipx install py-spy`.',
      });
    }
    const { pids, seconds, folder } = sampling;
    const written = (pid: number) => join(folder, `py-spy-${pid}.txt`);
    const looked = pids.map(async (pid) => {
      // Otherwise threads that wait for a connection count as busy.
      const options = ['--format', 'raw', '--function', '--subprocesses', '--gil', '--rate', String(PY_SPY_RATE)];
      const what = ['--pid', String(pid), '--duration', String(seconds), '--output', written(pid)];
      await runProfiler({ argv: [program, 'record', ...options, ...what], next: PY_SPY_NEXT }, sampling);
      return pySpyStacks(readProfile(written(pid)));
    });
    const { lastLines } = await runChild(
      { argv: [program, '--version'], cwd: '/', environment: process.env },
      { limitSeconds: 10 },
    );
    const stacks = (await Promise.all(looked)).flat();
    return { version: /(\d[\w.]*)/.exec(lastLines)?.[1] ?? '', stacks };
  },
};

/** Stacks in the output of `py-spy record --format raw`: `process 7:"python app.py";main (app.py:3);work (app.py:1) 12`. */
export function pySpyStacks(text: string): readonly Stack[] {
  return text.split('\n').flatMap((line) => {
    const blank = line.lastIndexOf(' ');
    const count = /^\d{1,12}$/.test(line.slice(blank + 1)) ? Number(line.slice(blank + 1)) : 0;
    const frames = framesOf(line.slice(0, Math.max(0, blank)));
    return count === 0 || frames.length === 0 ? [] : [{ frames, count }];
  });
}

/** The command of a process is quoted and may contain anything. */
const PROCESS = /^process \d+:"(?:[^"\\]|\\.)*";?/;

function framesOf(text: string): readonly Frame[] {
  const frames = text.replace(PROCESS, '').split(';');
  return frames
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name = frame, file = ''] = /^(.*) \(([^()]*?)(?::\d+)?\)$/.exec(frame) ?? [];
      return frameOf(name, file);
    });
}

const SAMPLERS: Readonly<Record<NameByProgram, Sampler>> = { 'py-spy': pySpy, 'Node.js': nodeItself, perf };
