import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectEngine } from '../../../../src/runtime/docker/engine.ts';
import { FakeEngine } from '../../../support/fake-engine.ts';

const engine = new FakeEngine();

// Time limits are over when a test says so, and never by themselves.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What has come of it by now. */
function soon(ending: Promise<unknown>): Promise<unknown> {
  return Promise.race([ending, sleep(100, 'open')]);
}

test('waits three seconds for an answer when it connects', async () => {
  const connected = connectEngine({ DOCKER_HOST: await engine.start(() => undefined) }).catch(String);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1 });

  vi.advanceTimersByTime(1500);
  expect(await soon(connected)).toBe('open');
  vi.advanceTimersByTime(1500);
  expect(await connected).toContain('no answer within 3 s');
});

test('waits a minute for an answer in one piece, and for the end of a container as long as it takes', async () => {
  const container = await engine.container(() => undefined);

  const state = container.inspect().catch(String);
  vi.advanceTimersByTime(59_999);
  expect(await soon(state)).toBe('open');
  vi.advanceTimersByTime(1);
  expect(await state).toBe('Error: no answer within 60 s');
  const over = container.wait().then(() => 'over');
  vi.advanceTimersByTime(3_600_000);
  expect(await soon(over)).toBe('open');
  engine.server?.closeAllConnections();
  await expect(over).rejects.toThrow(/socket hang up|ECONNRESET/);
});

test('waits no longer for what has answered or failed', async () => {
  const container = await engine.container((response) => response.end('{}'));

  await container.inspect();
  expect(vi.getTimerCount()).toBe(0);
  engine.answer((response) => response.destroy());
  await expect(container.inspect()).rejects.toThrow('socket hang up');
  expect(vi.getTimerCount()).toBe(0);
});

test('waits three seconds for an engine that was silent for a minute, until it answers again', async () => {
  const hangs = { now: true };
  const container = await engine.container((response) => hangs.now || response.end('{}'));
  const silence = async (ask: Promise<unknown>, seconds: number) => {
    const answer = ask.catch(String);
    vi.advanceTimersByTime(seconds * 1000);
    return await answer;
  };

  const silences = [await silence(container.stop(), 60), await silence(container.remove(), 3)];
  hangs.now = false;
  await container.inspect();
  hangs.now = true;
  silences.push(await silence(container.kill(), 60));

  const [minute, seconds] = ['Error: no answer within 60 s', 'Error: no answer within 3 s'];
  expect(silences).toEqual([minute, seconds, minute]);
});

test('waits for the begin of what a program prints, and not for its end', async () => {
  const container = await engine.container((response) => response.end('{"Id":"1"}'));
  const exec = await container.exec({ Cmd: ['driver'] });
  engine.server?.on('upgrade', (_request, socket) => {
    engine.server?.removeAllListeners('upgrade').on('upgrade', () => undefined);
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    socket.on('data', (requested) => socket.end(`heard ${requested}`));
  });

  const output = await exec.start({ hijack: true, stdin: true });
  vi.advanceTimersByTime(60_000);
  output.write('a block');
  expect(await text(output)).toBe('heard a block');
  const never = exec.start({ hijack: true, stdin: true });
  vi.advanceTimersByTime(60_000);
  await expect(never).rejects.toThrow('no answer within 60 s');
});
