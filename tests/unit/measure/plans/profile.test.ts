import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import { PROFILED_SECONDS, type Profiling, profileServices } from '../../../../src/measure/plans/profile.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { sampledProfile } from '../../../support/sample-profiler.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const SLOWER = sampleRounds({ services: ['rest'], worse: [{ metric: 'cpuMicrosPerRequest', by: 0.3 }] });

const sees: Profiling = async (_bench, { side }) => sampledProfile(side, { work: 100 });

interface Given {
  readonly profiler?: 'auto' | 'off' | undefined;
  readonly profile?: Profiling;
  readonly left?: number;
  readonly run?: typeof SLOWER;
}

const profiled = async ({ profiler = 'auto', profile = sees, left = 600, run = SLOWER }: Given) => {
  const { bench, lines } = fakeRounds({ change: { profiler } });
  return { record: await profileServices(bench, run, { left: () => left, profile }), lines };
};

describe('profileServices', () => {
  test('looks at base and head of what takes more CPU time, and at nothing else', async () => {
    const { record } = await profiled({});
    expect(record?.sampled.map(({ service, side }) => `${service} ${side}`)).toEqual(['rest base', 'rest head']);
    expect(record?.missing).toEqual([]);
    expect((await profiled({ run: sampleRounds({ services: ['rest'] }) })).record).toBeUndefined();
    expect((await profiled({ profiler: 'off' })).record).toBeUndefined();
  });

  test('says what keeps it from looking, and goes on', async () => {
    const profile: Profiling = async () => {
      throw new EnvironmentError('py-spy is not on this machine', { code: 'WG-213', next: 'Install it.' });
    };
    const { record, lines } = await profiled({ profile });
    expect(record?.sampled).toEqual([]);
    expect(record?.missing).toEqual([
      { service: 'rest', message: 'py-spy is not on this machine', next: 'Install it.' },
    ]);
    expect(lines.at(-1)).toBe('rest: no functions shown, because py-spy is not on this machine');
  });

  test('names a service without readable processes once, with the reason and the next step', async () => {
    const { bench, lines } = fakeRounds({ change: { profiler: 'auto' } });
    const slower: typeof SLOWER = JSON.parse(JSON.stringify(SLOWER).replaceAll('"rest"', '"first"'));
    const record = await profileServices(bench, slower, { left: () => 600 });
    const message = 'its processes cannot be read, since they run in a virtual machine or on another machine';

    expect(record?.missing).toEqual([
      { service: 'first', message, next: expect.stringContaining('--runtime process') },
    ]);
    expect(lines.at(-1)).toBe(`first: no functions shown, because ${message}`);
  });

  test('begins nothing that the budget has no time for', async () => {
    const { record } = await profiled({ left: PROFILED_SECONDS - 1 });
    expect(record?.missing[0]?.message).toBe('the budget left no time to profile it');
  });

  test('a mistake of the program is not hidden', async () => {
    const profile: Profiling = async () => {
      throw new RangeError('a mistake');
    };
    await expect(profiled({ profile })).rejects.toThrow('a mistake');
  });
});
