import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort, ownPort } from '../../../../src/host/machine/ports.ts';

afterEach(() => vi.restoreAllMocks());

const drawn = (port: number): number => (port - 10_000) / 22_768 + 1e-9;

test('a free port is one that fetch asks', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(drawn(10_080)).mockReturnValue(drawn(10_081));

  expect(await freePort()).not.toBe(10_080);
  expect(random.mock.calls.length).toBeGreaterThan(1);
  await expect(fetch('http://127.0.0.1:10080/')).rejects.toMatchObject({ cause: new Error('bad port') });
});

test('a port is not given twice, as two programs may be started at once', async () => {
  vi.spyOn(Math, 'random').mockReturnValueOnce(drawn(20_001)).mockReturnValueOnce(drawn(20_001));

  expect(await freePort()).not.toBe(await freePort());
});

test('the port of a program that listens on no other is refused if something has it', async () => {
  const server = createServer();
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port));
  });

  await expect(ownPort(port)).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  await new Promise((done) => server.close(done));
  expect(await ownPort(port)).toBe(port);
});
