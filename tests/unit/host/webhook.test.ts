import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../src/host/machine/ports.ts';
import { sendToWebhook } from '../../../src/host/webhook.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;

interface Served extends AsyncDisposable {
  readonly address: string;
  readonly seen: { readonly body: string; readonly type: string | undefined; readonly atMs: number }[];
}

const SECRET = 'T0000-B0000-hunter2';

/** A webhook on this machine, which answers each request by the handler. */
async function webhook(handler: Handler): Promise<Served> {
  const port = await freePort();
  const seen: Served['seen'] = [];
  const server = createServer(async (request, response) => {
    seen.push({ body: await text(request), type: request.headers['content-type'], atMs: Date.now() });
    handler(request, response, seen.length);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${port}/services/${SECRET}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const statuses =
  (...list: readonly number[]): Handler =>
  (_, response, attempt) => {
    response.writeHead(list[attempt - 1] ?? list.at(-1) ?? 200).end(`no ${SECRET} here`);
  };

const QUICK = { requestMs: 5000, firstWaitMs: 5, totalMs: 20_000 };

const send = (address: string, patience = QUICK) => sendToWebhook({ address, body: '{"text":"ü"}', patience });

describe('a webhook', () => {
  test('gets the message once, as JSON', async () => {
    await using server = await webhook(statuses(200));

    expect(await send(server.address)).toEqual({ kind: 'delivered', tries: 1 });
    expect(server.seen).toMatchObject([{ body: '{"text":"ü"}', type: 'application/json' }]);
  });

  test('that takes it for later has it', async () => {
    await using server = await webhook(statuses(202));

    expect(await send(server.address)).toMatchObject({ kind: 'delivered' });
  });

  test('that is broken for a moment is asked again', async () => {
    await using server = await webhook(statuses(500, 503, 200));

    expect(await send(server.address)).toEqual({ kind: 'delivered', tries: 3 });
  });

  test('that asks for patience is asked when it says', async () => {
    await using server = await webhook((_, response, attempt) => {
      response.writeHead(attempt === 1 ? 429 : 200, { 'retry-after': '1' }).end();
    });

    expect(await send(server.address)).toMatchObject({ kind: 'delivered', tries: 2 });
    const [first, second] = server.seen;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(950);
  });

  test.each(['3600', new Date(Date.now() + 3_600_000).toUTCString()])(
    'that asks for more patience than there is, by %s, is not waited for',
    async (after) => {
      await using server = await webhook((_, response) => void response.writeHead(429, { 'retry-after': after }).end());

      expect(await send(server.address)).toMatchObject({ kind: 'failed', why: expect.stringMatching(/HTTP 429/) });
      expect(server.seen).toHaveLength(1);
    },
  );

  test('that stays broken is asked four times', async () => {
    await using server = await webhook(statuses(500));

    expect(await send(server.address)).toMatchObject({
      kind: 'failed',
      why: '127.0.0.1 answered HTTP 500 (attempt 4)',
    });
    expect(server.seen).toHaveLength(4);
  });

  test('that is gone is not asked again, and the reader is sent to the secret', async () => {
    await using server = await webhook(statuses(404));

    const end = await send(server.address);

    expect(end).toMatchObject({ kind: 'failed', next: expect.stringMatching(/the secret.*--alert-webhook slack/) });
    expect(server.seen).toHaveLength(1);
  });

  test('cannot send the message elsewhere', async () => {
    await using other = await webhook(statuses(200));
    await using server = await webhook(
      (_, response) => void response.writeHead(307, { location: other.address }).end(),
    );

    expect(await send(server.address)).toMatchObject({ kind: 'failed', why: expect.stringMatching(/redirect,/) });
    expect(other.seen).toEqual([]);
  });

  test('that never answers does not hold the job, however often it is asked', async () => {
    await using server = await webhook(() => undefined);

    const end = await send(server.address, { requestMs: 40, firstWaitMs: 5, totalMs: 100 });

    expect(end).toMatchObject({ kind: 'failed', why: expect.stringMatching(/did not answer/) });
    expect(server.seen.length).toBeLessThanOrEqual(4);
  });

  test('that does not exist is reported by its host', async () => {
    const end = await send(`http://127.0.0.1:${await freePort()}/${SECRET}`);

    expect(end).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/^127\.0\.0\.1 could not be reached \(ECONNREFUSED\)/),
    });
  });

  test.each(['', 'hooks.example.com', 'http://hooks.example.com/x', 'file:///etc/passwd', 'ftp://127.0.0.1/'])(
    'has an address of https: %s is none',
    async (address) => {
      expect(await send(address)).toMatchObject({ kind: 'failed', why: 'its address does not begin with https://' });
    },
  );

  test('is never named by its address, which is a secret', async () => {
    for (const status of [302, 404, 500]) {
      await using server = await webhook(statuses(status));

      expect(JSON.stringify(await send(server.address))).not.toContain(SECRET);
    }
    expect(JSON.stringify(await send(`http://example.com/${SECRET}`))).not.toContain(SECRET);
  });
});
