import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, listenersOn } from '../../../../src/host/machine/ports.ts';
import { parseListeners } from '../../../../src/host/machine/proc-files.ts';

const line = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000`;

const TABLE = [
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
  line('0100007F:1F90', '0A', 11),
  line('00000000:1F90', '0A', 12),
  line('0100007F:1F91', '0A', 13),
  line('0100007F:1F90', '01', 14),
  line('0101A8C0:1F90', '0A', 15),
  line('00000000000000000000000000000000:1F90', '0A', 16),
  line('00000000000000000000000001000000:1F90', '0A', 17),
  line('0000000000000000FFFF00000100007F:1F90', '0A', 18),
  line('000080FE000000000000000000000001:1F90', '0A', 19),
].join('\n');

test('finds what listens on ports by an address of this machine, and neither connections nor other addresses', () => {
  const found = parseListeners(TABLE);

  expect(found.filter(({ port }) => port === 8080).map(({ inode }) => inode)).toEqual(['11', '12', '16', '17', '18']);
  expect(found.filter(({ port }) => port !== 8080)).toEqual([{ port: 8081, inode: '13' }]);
});

test('finds nothing in a text that is not a table', () => {
  expect(parseListeners('')).toEqual([]);
});

test('finds the program that listens on a port of this network, and none on a free one', async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // Where this program itself may not be looked into, there is nobody to be found.
  const isVisible = readFileSync('/proc/self/net/tcp', 'utf8') !== '';

  const found = listenersOn(port);
  server.close();

  expect(found).toEqual(isVisible ? [process.pid] : []);
  expect(listenersOn(await freePort())).toEqual([]);
});
