import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { otherPorts } from '../../../../../src/measure/trial/ready.ts';

const server: Server = createServer();
const processes = [process.pid];

beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => server.close());

function port(): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a program that listens on another port than it was given is said to do so', () => {
  expect(otherPorts({ processes, loadAddress: '127.0.0.1:1' })?.words).toMatch(
    new RegExp(`^it listens on port .*\\b${port()}\\b.* instead of 1, the value of \\$PORT$`),
  );
});

test('ports of the members of a service are not its own', () => {
  expect(otherPorts({ processes: [2 ** 22 + 1, ...processes], loadAddress: '127.0.0.1:1' })).toBeUndefined();
});

test('nothing is said of one that listens on its port, nor of one that cannot be seen', () => {
  expect(otherPorts({ processes, loadAddress: `127.0.0.1:${port()}` })).toBeUndefined();
  expect(otherPorts({ processes: undefined, loadAddress: '127.0.0.1:1' })).toBeUndefined();
  expect(otherPorts({ processes: [2 ** 22 + 1], loadAddress: '127.0.0.1:1' })).toBeUndefined();
});
