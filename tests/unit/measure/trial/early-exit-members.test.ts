import { describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../../../src/foundation/errors.ts';
import { blamingMembers, untilItEnds } from '../../../../src/measure/trial/early-exit.ts';
import type { Service } from '../../../../src/model/service.ts';
import { KILLED, standingService } from '../../../support/fakes.ts';
import { restService } from '../../../support/suite.ts';

test('names a member that has ended under load, and the entry as such', async () => {
  const service: Service = { ...restService('shop'), entry: 'gateway' };
  const own = untilItEnds({ service, running: standingService({ ended: Promise.resolve(KILLED) }) }, 'under load');
  const needEnded = Promise.resolve({ name: 'orders', family: 'members' as const, end: KILLED });
  const member = untilItEnds({ service, running: standingService({ needEnded }) }, 'under load');

  await expect(own).rejects.toThrow('gateway (entry of shop) exited under load: it was killed by SIGKILL');
  await expect(member).rejects.toThrow('orders (member of shop) exited under load: it was killed by SIGKILL');
});

describe('a member that no longer answers', () => {
  const ailing = async () => 'orders (member of shop) is no longer ready: GET /: timeout; it printed nothing';
  const refused = async () => {
    throw new MeasurementError('shop: GET / of operation Index: answered 502');
  };

  test('is named next to the failure of the service', async () => {
    await expect(blamingMembers(standingService({ ailing }), refused)).rejects.toMatchObject({
      message: expect.stringMatching(/^shop: GET \/ of operation Index: answered 502; orders \(member of shop\) is no/),
      next: expect.stringMatching(/^Check what it printed last/),
    });
    await expect(blamingMembers(standingService({}), refused)).rejects.toThrow(/answered 502$/);
  });

  test('is named if requests failed, and not looked for if none did', async () => {
    const failing = blamingMembers(
      standingService({ ailing }),
      async () => 3,
      (failed) => failed > 0,
    );

    await expect(failing).rejects.toThrow(/^requests failed: orders \(member of shop\)/);
    expect(
      await blamingMembers(
        standingService({ ailing }),
        async () => 0,
        (failed) => failed > 0,
      ),
    ).toBe(0);
  });

  test('has no part in what is wrong with the machine', async () => {
    const broken = async () => {
      throw new ConfigError('the file is not there');
    };

    await expect(blamingMembers(standingService({ ailing }), broken)).rejects.toThrow('the file is not there');
  });
});
