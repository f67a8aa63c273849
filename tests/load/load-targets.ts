import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPackageDefinition, Server, ServerCredentials, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Target } from '../../src/model/load.ts';
import { encodedTarget } from '../../src/protocols/grpc/message.ts';
import { restService } from '../support/suite.ts';

/** A service on this machine for a load tool to call. */
export interface LoadTarget extends AsyncDisposable {
  readonly target: Target;
  /** Arguments of the calls that came, in order. */
  readonly requested: readonly string[];
}

/** Answers `GET /user/<id>` with 200, and with 503 for id 3. */
export async function httpTarget(): Promise<LoadTarget> {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url.replace('/user/', ''));
    response.writeHead(url.endsWith('/3') ? 503 : 200).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const requests = [1, 2, 3].map((id) => ({ call: `GET /user/${id}`, body: undefined }));
  return {
    requested,
    target: { address: `127.0.0.1:${port}`, requests },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const TEXTS = {
  'test/v1/user.proto': `syntax = "proto3";
    package test.v1;
    import "test/v1/id.proto";
    service UserService { rpc GetUser(Id) returns (Id); }`,
  'test/v1/id.proto': 'syntax = "proto3"; package test.v1; message Id { int32 id = 1; }',
};

/** Answers `GetUser`, and with NOT_FOUND for id 3. Its contract lies in two files, one of which imports the other. */
export async function grpcTarget(): Promise<LoadTarget> {
  const requested: string[] = [];
  const server = new Server();
  server.addService(userService(), {
    GetUser: (call: { request: { id: number } }, reply: (error: object | null, answer?: object) => void) => {
      requested.push(String(call.request.id));
      const isUnknown = call.request.id === 3;
      reply(isUnknown ? { code: status.NOT_FOUND } : null, isUnknown ? undefined : call.request);
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const requests = [1, 2, 3].map((id) => ({ call: 'test.v1.UserService/GetUser', body: { id } }));
  const proto = { root: 'proto', file: 'test/v1/user.proto', texts: TEXTS };
  return {
    requested,
    target: encodedTarget(
      { address: `127.0.0.1:${port}`, requests },
      { ...restService('users'), protocol: 'grpc', proto },
    ),
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}

function userService() {
  const folder = mkdtempSync(join(tmpdir(), 'wiregauge-proto-'));
  const file = join(folder, 'user.proto');
  const [service, message] = Object.values(TEXTS);
  writeFileSync(file, `${service?.replace(/import.*;/, '')}${message?.replace(/.*package test.v1;/, '')}`);
  const { test } = loadPackageDefinition(loadSync(file)) as unknown as {
    test: { v1: { UserService: ServiceClientConstructor } };
  };
  rmSync(folder, { recursive: true });
  return test.v1.UserService.service;
}
