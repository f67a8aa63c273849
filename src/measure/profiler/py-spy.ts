import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { programOnPath, readProfile, runProfiler, type Sampler } from './sampler.ts';
import { type Frame, frameOf, type Stack } from './stacks.ts';

/** How many times a second. */
const RATE = 200;

const NEXT =
  'It must be able to trace the processes of the service: run as root, or allow it with `sudo sysctl kernel.yama.ptrace_scope=0`.';

/** Looks at programs in Python by py-spy, with the processes that they start. */
export const pySpy: Sampler = {
  name: 'py-spy',
  async sample(sampling) {
    const program = await programOnPath('py-spy');
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
      const options = ['--format', 'raw', '--function', '--subprocesses', '--gil', '--rate', String(RATE)];
      const what = ['--pid', String(pid), '--duration', String(seconds), '--output', written(pid)];
      await runProfiler({ argv: [program, 'record', ...options, ...what], next: NEXT }, sampling);
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

/** The stacks in what `py-spy record --format raw` has written: `process 7:"python app.py";main (app.py:3);work (app.py:1) 12`. */
export function pySpyStacks(text: string): readonly Stack[] {
  return text.split('\n').flatMap((line) => {
    const blank = line.lastIndexOf(' ');
    const count = /^\d{1,12}$/.test(line.slice(blank + 1)) ? Number(line.slice(blank + 1)) : 0;
    const frames = framesOf(line.slice(0, Math.max(0, blank)));
    return count === 0 || frames.length === 0 ? [] : [{ frames, count }];
  });
}

/** The command of a process stands in quotes, and may have anything in it. */
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
