import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { abortAfter } from '../../../src/host/signals.ts';

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
