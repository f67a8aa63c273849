import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { MeasurementError } from '../../src/foundation/errors.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { pythonService } from '../integration/plain-service.ts';
import { NO_SECRETS } from '../support/secrets.ts';

describe('protocolClient over REST', () => {
  const service = pythonService('');
  const servers: Server[] = [];

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const ask = (address: string, call: string, text?: string) =>
    protocolClient(NO_SECRETS).call(service, address, {
      call,
      body: undefined,
      ...(text !== undefined && { content: { text } }),
    });

  it('gives status and JSON body, of a failure too', async () => {
    const address = await serve((request, response) => {
      response.statusCode = request.url === '/user/1' ? 200 : 404;
      response.end(JSON.stringify({ method: request.method, name: 'Ü' }));
    });

    expect(await ask(address, 'GET /user/1')).toMatchObject({ status: '200', body: { method: 'GET', name: 'Ü' } });
    expect(await ask(address, 'DELETE /user/9')).toMatchObject({
      status: '404',
      body: { method: 'DELETE', name: 'Ü' },
    });
  });

  it('sends a body, and leaves no connection open', async () => {
    let connection: string | undefined;
    const address = await serve((request, response) => {
      connection = request.headers.connection;
      request.pipe(response);
    });

    expect(await ask(address, 'POST /echo', '{"a":1}')).toMatchObject({ status: '200', body: { a: 1 } });
    expect(connection).toBe('close');
  });

  it('does not follow a redirect', async () => {
    const address = await serve((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());

    expect(await ask(address, 'GET /')).toMatchObject({ status: '302', body: undefined });
  });

  it('gives no body for one that is not JSON', async () => {
    const address = await serve((_request, response) => response.end('<h1>hello</h1>'));

    expect(await ask(address, 'GET /')).toMatchObject({ status: '200', body: undefined });
  });

  it('rejects with the cause if the port is closed', async () => {
    const server = createSocketServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');

    await expect(ask(`127.0.0.1:${port}`, 'GET /')).rejects.toThrow(MeasurementError);
    await expect(ask(`127.0.0.1:${port}`, 'GET /')).rejects.toThrow(/^GET http:\/\/127.0.0.1:\d+\/: ECONNREFUSED/);
  });

  it('rejects an answer that never ends, and cuts one that is too long', async () => {
    const silent = await serve(() => undefined);
    const endless = await serve((_request, response) => {
      const more = () => response.write(Buffer.alloc(2 ** 20));
      response.on('drain', more);
      more();
    });

    await expect(ask(silent, 'GET /')).rejects.toThrow(/timeout/i);
    await expect(ask(endless, 'GET /')).resolves.toMatchObject({ status: '200', cut: 'longer than 4194304 bytes' });
  });
});
