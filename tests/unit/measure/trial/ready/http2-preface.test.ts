import { createServer as http1 } from 'node:http';
import { createServer as http2 } from 'node:http2';
import { afterAll, expect, test } from 'vitest';
import { speaksHttp2 } from '../../../../../src/measure/plans/try.ts';

const servers = [http2(), http1()];
afterAll(() => {
  for (const server of servers) {
    server.close();
  }
});

test('a program speaks HTTP/2 without TLS if it answers the preface with settings', async () => {
  const [over2, over1] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    }),
  );

  expect(await speaksHttp2(over2 ?? '')).toBe(true);
  expect(await speaksHttp2(over1 ?? '')).toBe(false);
  expect(await speaksHttp2('127.0.0.1:1')).toBe(false);
});
