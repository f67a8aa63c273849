import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { EnvironmentError } from '../../../src/foundation/errors.ts';
import { abortAfter, INTERRUPTED, interruptible, unlessAborted } from '../../../src/host/signals.ts';

describe('abortAfter', () => {
  test('aborts what listens to several signals, also if garbage was collected in the meantime', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    using late = abortAfter(200);
    const any = AbortSignal.any([new AbortController().signal, late.signal]);
    const aborted = new Promise<unknown>((resolve) => any.addEventListener('abort', () => resolve(any.reason)));
    const collecting = setInterval(collect, 20);

    expect(await aborted).toMatchObject({ name: 'TimeoutError' });
    clearInterval(collecting);
  });

  test('aborts nothing that was over before', async () => {
    const late = abortAfter(5);
    late[Symbol.dispose]();
    await new Promise((resolve) => setTimeout(resolve, 30));

    expect(late.signal.aborted).toBe(false);
  });
});

describe('interruptible', () => {
  const printed = () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    return lines;
  };

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'aborts the work at %s and keeps its result',
    async (name) => {
      const lines = printed();
      const listeners = process.listenerCount(name);

      const exitCode = await interruptible(async (signal) => {
        process.emit(name, name);
        expect(signal.aborted).toBe(true);
        return 0;
      });

      expect(exitCode).toBe(INTERRUPTED);
      expect(lines.join('')).toContain('stopping; any results so far are kept');
      expect(process.listenerCount(name)).toBe(listeners);
    },
  );

  test('ends the program at the second signal', async () => {
    printed();
    const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });

    await interruptible(async () => {
      process.emit('SIGTERM', 'SIGTERM');
      expect(() => process.emit('SIGHUP', 'SIGHUP')).toThrow(`exit ${INTERRUPTED}`);
      return 0;
    });

    expect(exit).toHaveBeenCalledTimes(1);
  });

  test('names what cannot be stopped', async () => {
    const lines = printed();

    const exitCode = await interruptible(async () => {
      process.emit('SIGINT', 'SIGINT');
      throw new EnvironmentError('sudo (pid 12) cannot be stopped', { code: 'WG-213' });
    });

    expect(exitCode).toBe(INTERRUPTED);
    expect(lines.join('')).toContain('interrupted before anything was measured; sudo (pid 12) cannot be stopped');
  });
});

describe('unlessAborted', () => {
  test('gives the result or the error of the work', async () => {
    const { signal } = new AbortController();

    expect(await unlessAborted(Promise.resolve(3), signal)).toBe(3);
    await expect(unlessAborted(Promise.reject(new Error('none')), signal)).rejects.toThrow('none');
  });

  test('waits for no work once the signal aborts, nor for an error of it', async () => {
    const stop = new AbortController();
    let fail: (reason: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const waiting = unlessAborted(work, stop.signal);
    stop.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    fail(new Error('late'));
    await expect(unlessAborted(new Promise(() => undefined), stop.signal)).rejects.toThrow('enough');
  });
});
