import { describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../../../src/foundation/errors.ts';
import { blamingMembers, untilItEnds } from '../../../../src/measure/service/early-exit.ts';
import type { Service } from '../../../../src/model/service.ts';
import type { RunningService } from '../../../../src/runtime/port.ts';
import { KILLED } from '../../../support/fakes.ts';
import { restService } from '../../../support/suite.ts';

const never = new Promise<never>(() => undefined);

function runningService(changes: Partial<RunningService>): RunningService {
  return {
    address: '127.0.0.1:5000',
    loadAddress: '127.0.0.1:5000',
    ended: never,
    reading: () => never,
    load: () => never,
    play: () => never,
    logs: async () => 'its last words',
    tries: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    ...changes,
  };
}

test('names a member that has ended under load, and the entry as such', async () => {
  const service: Service = { ...restService('shop'), entry: 'gateway' };
  const own = untilItEnds({ service, running: runningService({ ended: Promise.resolve(KILLED) }) }, 'under load');
  const needEnded = Promise.resolve({ name: 'orders', family: 'members' as const, end: KILLED });
  const member = untilItEnds({ service, running: runningService({ needEnded }) }, 'under load');

  await expect(own).rejects.toThrow('gateway (entry of shop) ended by itself under load: it was ended by SIGKILL');
  await expect(member).rejects.toThrow('orders (member of shop) ended by itself under load: it was ended by SIGKILL');
});

describe('a member that no longer answers', () => {
  const ailing = async () => 'orders (member of shop) is no longer ready: GET /: timeout; it printed nothing';
  const refused = async () => {
    throw new MeasurementError('shop: GET / of operation Index: answered 502');
  };

  test('is named beside what failed of the service', async () => {
    await expect(blamingMembers(runningService({ ailing }), refused)).rejects.toMatchObject({
      message: expect.stringMatching(/^shop: GET \/ of operation Index: answered 502; orders \(member of shop\) is no/),
      next: expect.stringMatching(/^Look at what it printed last/),
    });
    await expect(blamingMembers(runningService({}), refused)).rejects.toThrow(/answered 502$/);
  });

  test('is named if requests failed, and not looked for if none did', async () => {
    const failing = blamingMembers(
      runningService({ ailing }),
      async () => 3,
      (failed) => failed > 0,
    );

    await expect(failing).rejects.toThrow(/^requests failed: orders \(member of shop\)/);
    expect(
      await blamingMembers(
        runningService({ ailing }),
        async () => 0,
        (failed) => failed > 0,
      ),
    ).toBe(0);
  });

  test('has no part in what is wrong with the machine', async () => {
    const broken = async () => {
      throw new ConfigError('the file is not there');
    };

    await expect(blamingMembers(runningService({ ailing }), broken)).rejects.toThrow('the file is not there');
  });
});
