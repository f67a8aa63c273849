import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf, EnvironmentError, fetchFailure, KnownError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { bytesUpTo } from '../../host/body.ts';
import { listenersOn } from '../../host/machine/ports.ts';
import { processTree } from '../../host/machine/proc.ts';
import type { Side } from '../../model/rounds.ts';
import type { ProfilePage } from '../../model/run/functions.ts';
import type { RoundBench } from '../trial/versions.ts';
import { pprofStacks, refusedProfile } from './pprof-format.ts';
import type { Choice } from './programs.ts';
import type { Sampling } from './sampler.ts';

/** Profile page of a version of a service, if both versions have one: results of two profilers cannot be compared. */
export function pageOfBoth(
  { versions }: Pick<RoundBench, 'versions'>,
  { service, side }: { readonly service: string; readonly side: Side },
): ProfilePage | undefined {
  const pageOf = (of: Side): ProfilePage | undefined => {
    const requested = versions[of].services.get(service)?.profiler;
    return requested === 'off' ? undefined : requested;
  };
  return pageOf('base') && pageOf('head') && pageOf(side);
}

/**
 * Choice of a program that profiles itself, as `net/http/pprof` does; `first` are the first processes of all programs, that of the entry before the
 * others. Throws EnvironmentError if no process listens there.
 */
export function chosenPage(
  { address, path }: ProfilePage,
  {
    service,
    first,
    address: own,
  }: { readonly service: string; readonly first: readonly number[]; readonly address: string },
): Choice {
  const at = address ?? own;
  const listeners = listenersOn(Number(at.split(':').at(-1)));
  const programs = first.map((pid) => processTree(pid).map((one) => one.pid));
  const listening = programs.find((pids) => pids.some((pid) => listeners.includes(pid)));
  if (address !== undefined && listening === undefined) {
    throw new EnvironmentError(`no program of ${service} listens at ${address}`, {
      code: 'WG-213',
      next: 'Set `profiler.pprof` to a port of the service. A container exposes only its `port`: there, set only the path.',
    });
  }
  const pids = listening ?? programs[0] ?? [];
  const page = { title: `${address ?? ''}${path}`, url: `http://${at}${path}` };
  return {
    sampler: {
      name: 'pprof',
      async sample(sampling) {
        const packed = await bodyOf(page, sampling);
        // A profile does not name its version of Go.
        return { version: '', stacks: pprofStacks(await unpacked(packed)) };
      },
    },
    pids,
    isSeen: ({ pid }) => pids.includes(pid),
  };
}

/** Limit for the request in addition to sampling. */
const BESIDES_SECONDS = 20;

/** Far above actual profiles: a program on one core needs some ten kilobytes. */
const MAX_BYTES = 8 * 2 ** 20;

const MAX_UNPACKED_BYTES = 32 * 2 ** 20;

/** A service refuses in a line or two. */
const MAX_REFUSAL_BYTES = 4096;
const LONGEST_REFUSAL = 200;

interface Page {
  readonly title: string;
  readonly url: string;
}

async function bodyOf(page: Page, { seconds, signal }: Pick<Sampling, 'seconds' | 'signal'>): Promise<Buffer> {
  const limit = AbortSignal.timeout((seconds + BESIDES_SECONDS) * 1000);
  try {
    const answer = await fetch(`${page.url}?seconds=${seconds}`, {
      // A redirect must not leave this machine.
      redirect: 'manual',
      headers: { connection: 'close' },
      signal: AbortSignal.any([signal, limit]),
    });
    const { bytes, isCut } = await bytesUpTo(answer.ok ? MAX_BYTES : MAX_REFUSAL_BYTES, answer.body);
    if (!answer.ok) {
      const said = isCut ? '' : cleanText(bytes.toString('utf8'), LONGEST_REFUSAL);
      throw noProfile(page, `it answered ${answer.status}${said === '' ? '' : `: ${said}`}`);
    }
    if (isCut) {
      throw tooLong(MAX_BYTES);
    }
    return bytes;
  } catch (thrown) {
    signal.throwIfAborted();
    const reason = cleanText(fetchFailure(thrown), LONGEST_REFUSAL);
    throw thrown instanceof KnownError ? thrown : noProfile(page, reason, thrown);
  }
}

function noProfile({ title }: Page, reason: string, cause?: unknown): EnvironmentError {
  return new EnvironmentError(`${title} returned no profile: ${reason}`, {
    code: 'WG-213',
    cause,
    next: 'Register `net/http/pprof` there. Without `profiler.pprof`, perf is used.',
  });
}

function tooLong(most: number): EnvironmentError {
  return refusedProfile(`it is longer than ${most / 2 ** 20} MiB`);
}

const unzip = promisify(gunzip);

/** Decides by the first two bytes: profiles are usually packed. */
async function unpacked(bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    return bytes;
  }
  try {
    return await unzip(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (thrown) {
    const isTooLong = codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLong ? tooLong(MAX_UNPACKED_BYTES) : refusedProfile('it cannot be unpacked', thrown);
  }
}
