import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';
import { readProc } from '../../host/files/reader.ts';
import { type Program, type Service, withMembers } from '../../model/service.ts';
import { readProfile, type Sampler, type Sampling } from './sampler.ts';
import { frameOf, type Stack } from './stacks.ts';

/** Sampling interval in microseconds. */
const INTERVAL = 1000;

/** Signal that a process waits for: the first one starts its profiler, the second one writes the profile. */
const SIGNAL = 'SIGUSR2';

/** Unpredictable for other users. */
const FILE = `/tmp/wiregauge-${randomBytes(6).toString('hex')}`;

/** Code for the process: the profiler of `--cpu-prof`, but for a part of its lifetime, also in a process that never exits normally. */
const PRELOAD = `
import { Session } from 'node:inspector';
import { renameSync, writeFileSync } from 'node:fs';
let session;
process.on('${SIGNAL}', () => {
  if (session === undefined) {
    session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: ${INTERVAL} });
    session.post('Profiler.start');
    return;
  }
  session.post('Profiler.stop', (error, result) => {
    try {
      const file = '${FILE}-' + process.pid + '.cpuprofile';
      writeFileSync(file + '.part', JSON.stringify({ version: process.version, ...result?.profile }), { flag: 'wx' });
      renameSync(file + '.part', file);
    } catch {}
  });
});
`;

const OPTION = `--import=data:text/javascript,${encodeURIComponent(PRELOAD.trim())}`;

/** Service whose programs in Node.js, 20 or later, can profile themselves. */
export function readyForNode(service: Service): Service {
  return withMembers(service, withOption);
}

function withOption<Some extends Program>(program: Some): Some {
  const { NODE_OPTIONS: own = '' } = program.environment;
  return { ...program, environment: { ...program.environment, NODE_OPTIONS: `${own} ${OPTION}`.trim() } };
}

const WAIT_MS = 10_000;

const POLL_MS = 50;

/** Makes Node.js programs profile themselves with the code that readyForNode adds. */
export const nodeItself: Sampler = {
  name: 'Node.js',
  async sample(sampling) {
    const ready = sampling.pids.filter(isReady);
    if (ready.length === 0) {
      throw new EnvironmentError('Node.js was not started with the NODE_OPTIONS that Wiregauge sets', {
        code: 'WG-213',
        next: 'Pass `NODE_OPTIONS` on in the command of the service.',
      });
    }
    signalAll(ready);
    await sleep(sampling.seconds * 1000, undefined, { signal: sampling.signal });
    signalAll(ready);
    const profiles = await Promise.all(ready.map((pid) => profileOf(pid, sampling.signal)));
    return {
      version: profiles[0]?.version ?? '',
      stacks: profiles.flatMap((profile) => profile.stacks),
    };
  },
};

/** True if a process has loaded the code that readyForNode adds. The signal would end one that does not handle it. */
function isReady(pid: number): boolean {
  const handled = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1] ?? '0';
  const bit = 1n << BigInt(constants.signals[SIGNAL] - 1);
  return (BigInt(`0x${handled}`) & bit) !== 0n && (readProc(`/proc/${pid}/environ`) ?? '').includes(OPTION);
}

function signalAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, SIGNAL);
    } catch (cause) {
      throw new EnvironmentError(`Node.js could not start its profiler: ${messageOf(cause)}`, {
        code: 'WG-213',
        cause,
        next: 'For processes of another user, as in containers, run as root.',
      });
    }
  }
}

/** Profile that a process writes; it is removed once read or given up, but not between attempts, since it may have appeared since the last one. */
async function profileOf(pid: number, signal: Sampling['signal']) {
  const path = profilePath(pid);
  try {
    for (const until = performance.now() + WAIT_MS; ; await sleep(POLL_MS, undefined, { signal })) {
      try {
        return nodeProfile(readProfile(path));
      } catch (thrown) {
        if (performance.now() > until || !(thrown instanceof EnvironmentError)) {
          throw thrown;
        }
      }
    }
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Path of a process's profile as seen from here: a container has its own `/tmp` and process numbers. */
function profilePath(pid: number): string {
  const own = /^NSpid:.*?(?<!\d)(\d+)$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1] ?? String(pid);
  return `/proc/${pid}/root${FILE}-${own}.cpuprofile`;
}

const whole = z.number().int().nonnegative();

const profileSchema = z.object({
  version: z.string().max(100).optional(),
  nodes: z.array(
    z.object({
      id: whole,
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      hitCount: whole.optional(),
      children: z.array(whole).optional(),
    }),
  ),
});

const MAX_FRAMES = 1000;

/** Limit of the calls in all stacks together, as for a pprof profile. */
const MAX_CALLS = 2_000_000;

/** Function without a caller, which executes nothing. */
const OUTERMOST = '(root)';
const NOTHING = '(idle)';

/** The stacks in a profile of V8: `*.cpuprofile`. Throws EnvironmentError if it is not one. */
export function nodeProfile(text: string): { readonly version: string; readonly stacks: readonly Stack[] } {
  const parsed = profileSchema.safeParse(parsedJson(text));
  if (!parsed.success) {
    throw unreadable('it is not a V8 profile');
  }
  const { version = '', nodes } = parsed.data;
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  let calls = 0;
  const stacks = nodes.flatMap(({ id, hitCount = 0 }): readonly Stack[] => {
    const frames = [];
    const isSeen = hitCount > 0;
    for (let node = byId.get(id); isSeen && node !== undefined && frames.length < MAX_FRAMES; ) {
      const { functionName, url } = node.callFrame;
      frames.push(frameOf(functionName === '' ? '(anonymous)' : functionName, url));
      node = byId.get(callers.get(node.id) ?? -1);
    }
    calls += frames.length;
    if (calls > MAX_CALLS) {
      throw unreadable(`it has more than ${MAX_CALLS} calls in its stacks`);
    }
    return isSeen ? [{ frames: frames.reverse().filter(({ name }) => name !== OUTERMOST), count: hitCount }] : [];
  });
  return { version, stacks: stacks.filter(({ frames }) => frames.at(-1)?.name !== NOTHING) };
}

function unreadable(why: string): EnvironmentError {
  return new EnvironmentError(`the profile that Node.js wrote cannot be read: ${why}`, {
    code: 'WG-213',
    next: 'Measure again, or set `profiler: off` for the service.',
  });
}
