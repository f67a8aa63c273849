import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseProject } from '../../src/config/parse.ts';
import { freePort } from '../../src/host/machine/ports.ts';
import { restOf } from '../support/suite.ts';

const ROOT = 'examples/own-service';
const text = (file: string) => ({ file, text: readFileSync(`${ROOT}/${file}`, 'utf8') });
const { suite, services } = parseProject(text('wiregauge.yml'));
const started = services.get('shop')?.process;

let service: ChildProcess;
let address = '';

beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const [program = '', ...argv] = started?.command ?? [];
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port) };
  service = spawn(program, argv, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  await answering();
});

afterAll(() => {
  service.kill('SIGKILL');
});

/** Waits until the service answers, or has ended by itself. */
async function answering(): Promise<void> {
  while (service.exitCode === null) {
    const answer = await fetch(`${address}/items`).catch(() => undefined);
    if (answer?.ok) {
      return;
    }
    await setTimeout(50);
  }
  throw new Error(`the service ended with code ${service.exitCode}`);
}

test.each(suite.operations.map((operation) => ({ name: operation.name, operation })))(
  'the example’s service answers every request of $name with success',
  async ({ operation }) => {
    const { method = '', path = '' } = restOf(operation) ?? {};

    for (const given of operation.arguments) {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
      const answer = await fetch(`${address}${filled}`, { method });
      expect(answer.status, filled).toBe(200);
      expect(await answer.json()).toBeTruthy();
    }
  },
);

test('the example’s service says that an unknown item is not there', async () => {
  expect((await fetch(`${address}/items/99`)).status).toBe(404);
  expect((await fetch(`${address}/items/x`)).status).toBe(404);
});

test('the example’s service ends by itself on SIGTERM, with a connection open', async () => {
  const ended = once(service, 'exit');

  service.kill('SIGTERM');

  expect(await ended).toEqual([0, null]);
});
