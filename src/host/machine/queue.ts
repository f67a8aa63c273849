import { randomUUID } from 'node:crypto';
import { readProc } from '../files/reader.ts';
import { takeName } from './names.ts';

/** Place in the queue for a lock, until it is disposed of or the program ends. */
export interface Place extends AsyncDisposable {
  /** True if every program in this network namespace that began to wait earlier has left the queue. */
  isFirst(): boolean;
}

/** Characters of the time since the start of the machine, in microseconds. */
const TIME_LENGTH = 16;

/**
 * Place in the queue for a lock, by the time at which it began to wait. It is a name like the lock, so it disappears with its program. A
 * program that does not wait has none, and is always first; so is every program where the kernel does not list names.
 */
export async function joinQueue(name: string, isWaiting: boolean): Promise<Place> {
  const time = String(process.hrtime.bigint() / 1000n).padStart(TIME_LENGTH, '0');
  const prefix = `${name}-queue-`;
  const own = `${time}-${randomUUID().slice(0, 8)}`;
  const place = isWaiting ? await takeName(prefix + own, '') : undefined;
  let isFirst = place === undefined;
  return {
    isFirst() {
      isFirst ||= placesOf(prefix).every((other) => other >= own);
      return isFirst;
    },
    async [Symbol.asyncDispose]() {
      await place?.[Symbol.asyncDispose]();
    },
  };
}

function placesOf(prefix: string): readonly string[] {
  const lines = (readProc('/proc/net/unix') ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, place = ''] = line.split(`@${prefix}`);
    return /^\d{16}-/.test(place) ? [place] : [];
  });
}
