import { describe, expect, test, vi } from 'vitest';
import { startChild } from '../../../src/host/child.ts';

const sleeping = async () =>
  await startChild({ argv: ['sleep', '60'], cwd: '/', environment: { PATH: process.env['PATH'] } });

describe('a child', () => {
  test('that may not be signaled is named with the next step, without waiting for it', async () => {
    const child = await sleeping();
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });

    await expect(child.stop(50)).rejects.toMatchObject({
      message: `sleep (pid ${child.pid}) cannot be stopped: it may run as another user`,
      next: `Stop it by hand: \`sudo kill -9 ${child.pid}\`.`,
    });

    expect(kill.mock.calls.map(([target, signal]) => [target, signal])).toEqual(
      expect.arrayContaining([
        [-child.pid, 'SIGTERM'],
        [-child.pid, 'SIGKILL'],
      ]),
    );
    kill.mockRestore();
    process.kill(-child.pid, 'SIGKILL');
    expect((await child.ended).signal).toBe('SIGKILL');
  });

  test('that printed more than is kept has whole lines only', async () => {
    const script = 'const line = "0123456789".repeat(100); for (let i = 0; i < 10_000; i += 1) console.log(line);';
    const child = await startChild({ argv: [process.execPath, '-e', script], cwd: '/', environment: {} });
    await child.ended;

    const lines = child.lastLines(20_000).split('\n');

    expect(lines.length).toBeGreaterThan(200);
    expect(lines.length).toBeLessThan(10_000);
    expect(new Set(lines)).toEqual(new Set(['0123456789'.repeat(100)]));
  });

  test('that has ended meanwhile is not an error', async () => {
    const child = await sleeping();
    process.kill(-child.pid, 'SIGKILL');
    await child.ended;

    await expect(child.stop(50)).resolves.toBeUndefined();
  });
});
