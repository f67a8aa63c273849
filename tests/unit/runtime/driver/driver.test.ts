import { describe, expect, it, vi } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import type { DriverChannel, DriverEnd } from '../../../../src/runtime/driver/channel.ts';
import { assertDiskHasRoom, BlockRunner, openDriver } from '../../../../src/runtime/driver/driver.ts';
import { httpLoad } from '../../../integration/plain-service.ts';

/** A driver that says what a test wants it to say. */
function scripted() {
  const sent: unknown[] = [];
  let say: (line: string) => void = () => undefined;
  let over: (end: DriverEnd) => void = () => undefined;
  const ended = new Promise<DriverEnd>((resolve) => {
    over = resolve;
  });
  const channel: DriverChannel = {
    send: (line) => sent.push(JSON.parse(line)),
    ended,
    end: async () => over({ how: 'by SIGTERM', lastLines: '' }),
  };
  const open = async (heard: (line: string) => void) => {
    say = heard;
    return channel;
  };
  return { sent, open, say: (line: object | string) => say(JSON.stringify(line)), over: (end: DriverEnd) => over(end) };
}

const never = new AbortController().signal;

const cpu = (id: number) => ({ id, cpuNs: [id], ownNs: 1, atNs: 1 });
const block = (id: number) => ({ id, startedNs: 1, endedNs: 2, results: [{ error: '' }] });

describe('openDriver', () => {
  it('refuses an answer to another question', async () => {
    const script = scripted();
    const sending = (await openDriver(script.open)).play([]);

    script.say(cpu(1));

    await expect(sending).rejects.toThrow(MeasurementError);
    await expect(sending).rejects.toThrow('answered a different request');
  });

  it('gives each question its own answer, in any order', async () => {
    const script = scripted();
    const driver = await openDriver(script.open);
    const sending = driver.play([]);
    const reading = driver.cpuTimes([7]);
    expect(script.sent).toEqual([
      { id: 1, loads: [] },
      { id: 2, pids: [7] },
    ]);

    script.say(cpu(2));
    script.say(block(1));

    expect(await reading).toEqual(cpu(2));
    expect(await sending).toEqual(block(1));
  });

  it('passes over lines that answer nothing', async () => {
    const script = scripted();
    const driver = await openDriver(script.open);
    const reading = driver.cpuTimes([]);

    script.say('hello');
    script.say(cpu(99));
    script.say({ id: 1 });
    script.say(cpu(1));

    expect(await reading).toEqual(cpu(1));
  });

  it('rejects open and later requests when the driver ends', async () => {
    const script = scripted();
    const driver = await openDriver(script.open);
    const open = driver.play([]).catch((thrown: unknown) => thrown);
    expect(driver.hasEnded()).toBe(false);

    script.over({ how: 'with exit code 2', lastLines: 'panic: out of memory' });

    expect(await open).toBeInstanceOf(MeasurementError);
    expect(await open).toMatchObject({
      message: 'the load driver ended unexpectedly with exit code 2; its last output: panic: out of memory',
      next: expect.stringContaining('memory'),
    });
    expect(driver.hasEnded()).toBe(true);
    await expect(driver.cpuTimes([])).rejects.toBe(await open);
  });

  it('ends on request', async () => {
    const script = scripted();
    const driver = await openDriver(script.open);

    await driver.end();

    expect(driver.hasEnded()).toBe(true);
  });
});

describe('assertDiskHasRoom', () => {
  it('names the folder that is still there afterwards', () => {
    const complain = (): void =>
      assertDiskHasRoom('write: no space left on device', 'ghz', '/tmp/wiregauge-0-12-345-Ab3xYz');

    expect(complain).toThrow('ghz cannot write its records: the disk with /tmp is full');
  });

  it('passes over other complaints', () => {
    expect(() => assertDiskHasRoom('connection refused', 'ghz', '/tmp')).not.toThrow();
  });
});

describe('BlockRunner', () => {
  it('ends a load that is over its time limit', async () => {
    vi.useFakeTimers();
    try {
      const script = scripted();
      await using player = new BlockRunner(async () => ({ open: script.open, folder: '/nowhere' }));
      const sending = player.play([httpLoad({ loadAddress: '127.0.0.1:8080' }, { seconds: 2 })], never);

      await vi.advanceTimersByTimeAsync(22_000);

      expect(await sending).toMatchObject([{ isOverTime: true, complaint: 'stopped at its time limit of 22 s' }]);
    } finally {
      vi.useRealTimers();
    }
  });
});
