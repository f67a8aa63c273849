import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { connectEngine } from '../../../../src/runtime/docker/engine.ts';
import { FakeEngine, type Responder } from '../../../support/fake-engine.ts';

const engine = new FakeEngine();

/** A container of an engine that answers so once it was connected to. */
async function containerOf(respond: Responder) {
  const { api } = await connectEngine({
    DOCKER_HOST: await engine.start((response) => response.end('{"Version":"28.0.1"}')),
  });
  engine.answer(respond);
  return api.getContainer('shop');
}

interface Timer {
  readonly limitMs: number;
  readonly over: AbortController;
}

/** Plays something with the time limits that were set meanwhile; none of them is over by itself. */
async function withTimers(play: (timers: readonly Timer[]) => Promise<void>): Promise<void> {
  const timers: Timer[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((limitMs) => {
    const over = new AbortController();
    timers.push({ limitMs, over });
    return over.signal;
  });
  try {
    await play(timers);
  } finally {
    timeout.mockRestore();
  }
}

test('waits a minute for an answer in one piece, and for the end of a container as long as it takes', async () => {
  await withTimers(async (timers) => {
    const container = await containerOf(() => undefined);

    const state = container.inspect();
    // When it connected, and then.
    expect(timers.map(({ limitMs }) => limitMs)).toEqual([3000, 60_000]);
    timers.at(-1)?.over.abort();
    await expect(state).rejects.toThrow('no answer within 60 s');
    const over = container.wait().then(() => 'over');
    expect(await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 100, 'open'))])).toBe('open');
    engine.server?.closeAllConnections();
    await expect(over).rejects.toThrow('socket hang up');
  });
});

test('waits three seconds for an engine that was silent for a minute, until it answers again', async () => {
  await withTimers(async (timers) => {
    const hangs = { now: true };
    const container = await containerOf((response) => hangs.now || response.end('{}'));
    const silence = async (ask: Promise<unknown>) => {
      timers.at(-1)?.over.abort();
      return await ask.catch(String);
    };

    const silences = [await silence(container.stop()), await silence(container.remove())];
    hangs.now = false;
    await container.inspect();
    hangs.now = true;
    silences.push(await silence(container.kill()));

    const [minute, seconds] = ['Error: no answer within 60 s', 'Error: no answer within 3 s'];
    expect(silences).toEqual([minute, seconds, minute]);
  });
});

test('waits for the begin of what a program prints, and not for its end', async () => {
  await withTimers(async (timers) => {
    const container = await containerOf((response) => response.end('{"Id":"1"}'));
    const exec = await container.exec({ Cmd: ['driver'] });
    engine.server?.on('upgrade', (_request, socket) => {
      engine.server?.removeAllListeners('upgrade').on('upgrade', () => undefined);
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
      socket.on('data', (asked) => socket.end(`heard ${asked}`));
    });

    const output = await exec.start({ hijack: true, stdin: true });
    timers.at(-1)?.over.abort();
    output.write('a block');
    expect(await text(output)).toBe('heard a block');
    const never = exec.start({ hijack: true, stdin: true });
    timers.at(-1)?.over.abort();
    await expect(never).rejects.toThrow('no answer within 60 s');
  });
});
