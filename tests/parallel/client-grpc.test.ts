import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Server as GrpcServer,
  type handleUnaryCall,
  loadPackageDefinition,
  ServerCredentials,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/foundation/errors.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { pythonService } from '../integration/plain-service.ts';
import { NO_SECRETS } from '../support/secrets.ts';

const CONTRACT = `syntax = "proto3";
package sample.v1;
service Things { rpc GetThing(GetThingRequest) returns (GetThingResponse); }
message GetThingRequest { int64 thing_id = 1; }
message GetThingResponse { int64 thing_id = 1; string name = 2; repeated string tags = 3; Inner inner = 4; }
message Inner { int32 some_value = 1; }
`;

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'client-'));
  mkdirSync(join(root, 'proto/sample/v1'), { recursive: true });
  writeFileSync(join(root, 'proto/sample/v1/things.proto'), CONTRACT);
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('protocolClient over gRPC', () => {
  const service = pythonService('', {
    protocol: 'grpc',
    proto: { root: 'proto', file: 'sample/v1/things.proto', texts: { 'sample/v1/things.proto': CONTRACT } },
  });
  const GET = 'sample.v1.Things/GetThing';
  const server = new GrpcServer();
  let address = '';

  beforeAll(async () => {
    const contract = loadPackageDefinition(loadSync(join(root, 'proto/sample/v1/things.proto'), { keepCase: true }));
    const { Things } = Object(contract['sample']).v1;
    server.addService(Things.service, {
      GetThing: ((call, reply) => {
        const id = call.request.thing_id.toNumber();
        if (id === 404) {
          reply({ code: status.NOT_FOUND, details: 'no such thing' });
        } else if (id !== 408) {
          reply(null, { thing_id: id, inner: { some_value: 0 } });
        }
      }) satisfies handleUnaryCall<{ thing_id: { toNumber(): number } }, object>,
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    address = `127.0.0.1:${port}`;
  });

  afterAll(() => server.forceShutdown());

  const ask = (id: number, call = GET) =>
    protocolClient(NO_SECRETS).call(service, address, { call, body: { thing_id: id } });

  it('gives all fields by the names of the contract, unset ones too, and numbers as numbers', async () => {
    expect(await ask(7)).toEqual({
      status: 'OK',
      body: { thing_id: 7, name: '', tags: [], inner: { some_value: 0 } },
    });
  });

  it('gives a status other than success as a reply', async () => {
    expect(await ask(404)).toMatchObject({ status: 'NOT_FOUND', body: undefined, detail: expect.any(String) });
  });

  it('goes straight to the service where a proxy is set', async () => {
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      expect(await ask(7)).toMatchObject({ status: 'OK' });
    } finally {
      delete process.env['http_proxy'];
    }
  });

  it('rejects where no answer came', async () => {
    await expect(ask(408)).rejects.toThrow(/^sample.v1.Things\/GetThing at .*DEADLINE_EXCEEDED/);
    const nobody = protocolClient(NO_SECRETS).call(service, '127.0.0.1:1', { call: GET, body: {} });
    await expect(nobody).rejects.toThrow(/UNAVAILABLE/);
  });

  it.each(['sample.v1.Things/NoSuch', 'sample.v1.Nothing/GetThing', 'sample.v1.GetThingRequest/GetThing', 'nonsense'])(
    'names a call that is not in the contract: %s',
    async (call) => {
      await expect(ask(1, call)).rejects.toThrow(ConfigError);
      await expect(ask(1, call)).rejects.toThrow(`${call} is not in the contract of plain (sample/v1/things.proto)`);
    },
  );

  it('names a contract that cannot be read', async () => {
    const proto = { root: 'proto', file: 'no/such.proto', texts: {} };

    const refused = protocolClient(NO_SECRETS).call({ ...service, proto }, address, { call: GET, body: {} });

    await expect(refused).rejects.toThrow('plain: the contract no/such.proto is not in proto');
  });

  it('works when bundled into one file', async () => {
    const repository = join(import.meta.dirname, '../..');
    const outfile = join(root, 'bundle.mjs');
    const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    const stdin = {
      contents: `import { protocolClient } from './src/protocols/client.ts';
import { NO_SECRETS } from './tests/support/secrets.ts';
const [, , address, service, request] = process.argv;
protocolClient(NO_SECRETS).call(JSON.parse(service), address, JSON.parse(request)).then((reply) => console.log(JSON.stringify(reply)));`,
      resolveDir: repository,
    };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js: banner } });
    const run = [outfile, address, JSON.stringify(service), JSON.stringify({ call: GET, body: { thing_id: 5 } })];

    const { stdout } = await promisify(execFile)(process.execPath, run, { cwd: root });

    expect(JSON.parse(stdout)).toMatchObject({ status: 'OK', body: { thing_id: 5 } });
  });
});
