import { expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import type { DriverEnd, OpenDriver } from '../../../../src/runtime/driver/channel.ts';
import { openRelay } from '../../../../src/runtime/driver/relay.ts';

const DB = { name: 'db', host: '10.0.0.2', port: 5432, ports: { admin: 5433 } };

/** A relay that answers each line with what `answerTo` gives, and ends if that is nothing. */
function fakeRelay(answerTo: (line: string) => object | undefined): OpenDriver {
  return async (heard) => {
    let end: (how: DriverEnd) => void = () => undefined;
    return {
      ended: new Promise((resolve) => {
        end = resolve;
      }),
      end: async () => end({ how: 'by SIGTERM', lastLines: '' }),
      send(line) {
        const answer = answerTo(line);
        if (answer === undefined) {
          end({ how: 'with exit code 2', lastLines: 'no port is free' });
          return;
        }
        queueMicrotask(() => heard(JSON.stringify(answer)));
      },
    };
  };
}

test('a relay gives its own places, port by port, and the calls since the last time', async () => {
  const lines: string[] = [];
  const calls = {
    ...{ name: 'db', protocol: 'postgres', connections: 1, roundTrips: 2, sentBytes: 3, receivedBytes: 4 },
    ...{ commands: { 'select 1': 2 }, unread: '' },
  };
  const open = fakeRelay((line) => {
    lines.push(line);
    return line === '\n' ? { needs: [calls] } : { ports: [20_001, 20_002] };
  });

  await using relay = await openRelay(open, 'relay');
  const places = await relay.relayed([DB]);

  expect(JSON.parse(lines[0] ?? '')).toEqual([
    { name: 'db', to: '10.0.0.2:5432' },
    { name: 'db', to: '10.0.0.2:5433' },
  ]);
  expect(places).toEqual([{ ...DB, host: 'relay', direct: '10.0.0.2', port: 20_001, ports: { admin: 20_002 } }]);
  expect(await relay.take()).toEqual([calls]);
});

test('a relay that ends fails with its last words', async () => {
  await using relay = await openRelay(
    fakeRelay(() => undefined),
    'relay',
  );
  const failed = await relay.relayed([DB]).catch((thrown: unknown) => thrown);

  expect(failed).toBeInstanceOf(EnvironmentError);
  expect(String(failed)).toContain('the relay ended unexpectedly with exit code 2: no port is free');
});
