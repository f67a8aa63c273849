import { describe, expect, test, vi } from 'vitest';
import { startChild } from '../../../src/host/child.ts';

const sleeping = async () =>
  await startChild({ argv: ['sleep', '60'], cwd: '/', environment: { PATH: process.env['PATH'] } });

describe('a child', () => {
  test('that may not be signaled is named, with what to do, and nobody waits for it', async () => {
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

  test('that has ended meanwhile is no error', async () => {
    const child = await sleeping();
    process.kill(-child.pid, 'SIGKILL');
    await child.ended;

    await expect(child.stop(50)).resolves.toBeUndefined();
  });
});
