import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { programOnPath, readProfile, runProfiler, type Sampler } from './sampler.ts';
import { type Frame, frameOf, type Stack } from './stacks.ts';

/** How many times a second; not in step with what happens every 5 ms. */
const RATE = 199;

const NEXT =
  'It needs access to kernel events: run as root, or allow it with `sudo sysctl kernel.perf_event_paranoid=1`.';

/** Looks at programs of any kind by perf; by the clock, since virtual machines count no cycles. */
export const perf: Sampler = {
  name: 'perf',
  async sample(sampling) {
    const program = await programOnPath('perf');
    if (program === undefined) {
      throw new EnvironmentError('perf is not installed', {
        code: 'WG-213',
        next: 'To profile compiled programs, install it: `sudo apt-get install -y linux-perf` on Debian, `linux-tools-$(uname -r)` on Ubuntu.',
      });
    }
    const { pids, seconds, folder } = sampling;
    const [data, text] = [join(folder, 'perf.data'), join(folder, 'perf.txt')];
    const events = ['-e', 'cpu-clock', '-F', String(RATE), '-g', '-p', pids.join(','), '-o', data];
    // Without the copies of programs that it would leave in the cache of the user.
    const look = [program, 'record', '--quiet', '--no-buildid-cache', ...events, '--', 'sleep', String(seconds)];
    await runProfiler({ argv: look, next: NEXT }, sampling);
    // While the service stands: afterwards the files of a container are gone, and with them the names of its functions.
    const script = '"$1" script -i "$2" --no-inline -F comm,pid,ip,sym,dso 2>/dev/null >"$3" && "$1" version';
    const told = await runProfiler({ argv: ['sh', '-c', script, 'perf', program, data, text], next: NEXT }, sampling);
    return { version: /(\d[\w.]*)/.exec(told)?.[1] ?? '', stacks: perfStacks(readProfile(text)) };
  },
};

/** The stacks in what `perf script -F comm,pid,ip,sym,dso` has written: a line for the process, then the functions, the innermost first. */
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
  // Rust ends its names with a hash of the build.
  const symbol = name === '[unknown]' ? '???' : name.replace(/::h[0-9a-f]{16}$/, '');
  return frameOf(symbol, file.startsWith('[kernel') || file.startsWith('[guest.kernel') ? 'kernel' : file);
}
