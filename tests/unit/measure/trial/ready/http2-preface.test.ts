import { createServer as http1 } from 'node:http';
import { createServer as http2 } from 'node:http2';
import { createServer as https } from 'node:https';
import { afterAll, expect, test } from 'vitest';
import { speaksHttp2, speaksTls } from '../../../../../src/measure/plans/spoken.ts';
import { newIdentity } from '../../../../support/certificates.ts';

const { certificate: cert, key } = newIdentity('DNS:elsewhere.test');
const servers = [http2(), http1(), https({ cert, key })];
afterAll(() => {
  for (const server of servers) {
    server.close();
  }
});

test('a program speaks HTTP/2 if it answers the preface with settings, and TLS if it shakes hands', async () => {
  const [over2, over1, overTls] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    }),
  );

  expect(await speaksHttp2(over2 ?? '')).toBe(true);
  expect(await speaksHttp2(over1 ?? '')).toBe(false);
  expect(await speaksHttp2('127.0.0.1:1')).toBe(false);
  expect(await speaksHttp2(overTls ?? '')).toBe(false);
  expect(await speaksTls(overTls ?? '')).toBe('untrusted');
  expect(await speaksTls(over1 ?? '')).toBeUndefined();
});
