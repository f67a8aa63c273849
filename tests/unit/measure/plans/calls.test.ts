import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { countCalls } from '../../../../src/measure/plans/calls.ts';
import type { RoundBench } from '../../../../src/measure/trial/versions.ts';
import type { Side } from '../../../../src/model/rounds.ts';
import type { NeedCalls } from '../../../../src/model/run/calls.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

interface Calling {
  /** Queries of a request. */
  readonly queries: number;
  readonly needs?: boolean;
  readonly unread?: string;
  readonly fails?: boolean;
}

/** A comparison whose services send queries for each request, and one in the background before all windows. */
function callingRounds(calling: Readonly<Record<Side, Calling>>) {
  const rounds = fakeRounds();
  const starts: string[] = [];
  let requests = 0;
  const version = (side: Side): RoundBench['versions'][Side] => {
    const { queries, needs = true, unread = '', fails = false } = calling[side];
    const own = rounds.bench.versions[side];
    const db = { name: 'db', port: 5432, environment: {}, ready: {}, needs: [], fresh: 'slot' } as never;
    return {
      ...own,
      services: new Map(
        [...own.services].map(([name, service]) => [name, needs ? { ...service, needs: [db] } : service]),
      ),
      runtime: {
        ...own.runtime,
        async start(service, signal, isRelayed) {
          starts.push(`${side} ${service.name}`);
          if (fails) {
            throw new MeasurementError('db does not get ready', { code: 'WG-309' });
          }
          const running = await own.runtime.start(service, signal);
          const calls = async (): Promise<readonly NeedCalls[]> => {
            const commands = requests === 0 ? { 'select job': 1 } : { 'select 1': queries * requests };
            requests = 0;
            const bytes = { sentBytes: 1, receivedBytes: 2 };
            return [{ name: 'db', protocol: 'postgres', connections: 0, roundTrips: 1, ...bytes, commands, unread }];
          };
          return { ...running, ...(isRelayed === true && { calls }) };
        },
      },
    };
  };
  const bench: RoundBench = {
    ...rounds.bench,
    versions: { base: version('base'), head: version('head') },
    client: {
      ...rounds.bench.client,
      async call(...request) {
        requests += 1;
        return await rounds.bench.client.call(...request);
      },
    },
  };
  const services = bench.suite.services.slice(0, 1);
  return { ...rounds, starts, bench: { ...bench, suite: { ...bench.suite, services } } };
}

describe('countCalls', () => {
  test('starts each version once if they send as many queries, and leaves out what is sent without a request', async () => {
    const { bench, starts, lines } = callingRounds({ base: { queries: 2 }, head: { queries: 2 } });
    const [service = ''] = bench.suite.services;

    const record = await countCalls(bench);

    expect(starts).toEqual([`head ${service}`, `base ${service}`]);
    expect(record?.failures).toEqual([]);
    expect(record?.starts[0]).toMatchObject({ side: 'head', start: 1, idle: ['select job'], unread: [] });
    expect(record?.starts[0]?.operations[0]).toMatchObject({
      ...{ need: 'db', requests: 10, commands: { 'select 1': [20, 20, 20, 20, 20] }, bytes: [3, 3, 3, 3, 3] },
    });
    expect(lines.join('\n')).toContain('2 → 2 queries/request');
  });

  test('starts the head once if there is no base', async () => {
    const { bench, starts, lines } = callingRounds({ base: { queries: 1 }, head: { queries: 3 } });
    const [service = ''] = bench.suite.services;

    const record = await countCalls({ ...bench, versions: { head: bench.versions.head } });

    expect(record?.starts.map(({ side }) => side)).toEqual(['head']);
    expect(starts).toEqual([`head ${service}`]);
    expect(lines.join('\n')).toContain(': 3 queries/request');
  });

  test('starts both once more if they differ', async () => {
    const { bench, starts } = callingRounds({ base: { queries: 1 }, head: { queries: 3 } });

    expect((await countCalls(bench))?.starts.map(({ side, start }) => `${side} ${start}`)).toEqual([
      ...['head 1', 'base 1', 'head 2', 'base 2'],
    ]);
    expect(starts).toHaveLength(4);
  });

  test('records a version that does not start, and does not start the other one', async () => {
    const { bench, starts, lines } = callingRounds({ base: { queries: 1 }, head: { queries: 1, fails: true } });
    const [service = ''] = bench.suite.services;

    const record = await countCalls(bench);

    expect(record?.starts).toEqual([]);
    expect(record?.failures).toMatchObject([
      { service, side: 'head', message: 'db does not get ready', code: 'WG-309' },
    ]);
    expect(starts).toEqual([`head ${service}`]);
    expect(lines.join('\n')).toContain(`${service}, head: queries could not be counted: db does not get ready`);
  });

  test('records why commands cannot be read', async () => {
    const unread = 'the connection is encrypted';
    const { bench } = callingRounds({ base: { queries: 1, unread }, head: { queries: 1 } });

    expect((await countCalls(bench))?.starts[1]?.unread).toEqual([{ need: 'db', reason: unread }]);
  });

  test('starts nothing for a service that needs nothing in one version', async () => {
    const { bench, starts } = callingRounds({ base: { queries: 1, needs: false }, head: { queries: 1 } });

    expect(await countCalls(bench)).toBeUndefined();
    expect(starts).toEqual([]);
  });

  test('ends with its signal', async () => {
    const { bench, stop, starts } = callingRounds({ base: { queries: 1 }, head: { queries: 1 } });
    stop.abort();

    expect(await countCalls(bench)).toEqual({ starts: [], failures: [] });
    expect(starts).toEqual([]);
  });
});
