import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { Engine } from '../../src/runtime/docker/engine.ts';

/** What `docker info` tells of an engine with containerd's image store. */
export const CONTAINERD_STORE = [['driver-type', 'io.containerd.snapshotter.v1']];

/** How a machine's Docker behaves. */
export interface DockerBehavior {
  /** What `docker buildx inspect` prints; undefined if there is no buildx. */
  readonly inspect: string | undefined;
  readonly driverStatus?: readonly (readonly string[])[];
  /** A build with a cache fails with this. */
  readonly cached?: { readonly said: string };
  /** Whether the engine has what a build with a cache made. */
  readonly isLoaded?: boolean;
}

/** A call of the program `docker`. */
export interface DockerCall {
  readonly argv: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A program `docker` in the folder's `bin`, and an engine, that only write down what they are asked for. */
export interface FakeDocker extends AsyncDisposable {
  readonly engine: Engine;
  /** What the engine was asked for: method and path. */
  readonly requests: readonly string[];
  readonly loadedId: string;
  readonly plainId: string;
  calls(): readonly DockerCall[];
}

const BETWEEN = '--- next call ---';

export async function fakeDocker(folder: string, behavior: DockerBehavior): Promise<FakeDocker> {
  const { inspect, driverStatus = [], cached, isLoaded = true } = behavior;
  const calls = join(folder, 'calls');
  const loadedId = `sha256:${'1a'.repeat(32)}`;
  const plainId = `sha256:${'2b'.repeat(32)}`;
  mkdirSync(join(folder, 'bin'));
  writeFileSync(calls, '');
  writeFileSync(join(folder, 'inspect'), inspect ?? '');
  writeFileSync(join(folder, 'said'), cached?.said ?? '');
  const script = `#!/bin/sh
{ echo "$*"; env; echo '${BETWEEN}'; } >> ${calls}
case "$1 $2" in
'buildx inspect') cat ${folder}/inspect; ${inspect === undefined ? 'exit 1' : 'exit 0'} ;;
'buildx build') cat ${folder}/said >&2; ${cached === undefined ? 'exit 0' : 'exit 1'} ;;
esac
while [ "$1" != --iidfile ]; do shift; done
echo ${plainId} > "$2"
`;
  writeFileSync(join(folder, 'bin', 'docker'), script, { mode: 0o755 });

  const requests: string[] = [];
  const server = createServer(({ method = '', url = '' }, response) => {
    requests.push(`${method} ${url}`);
    const [status, body] =
      url === '/info'
        ? [200, { DriverStatus: driverStatus }]
        : method === 'GET' && !isLoaded
          ? [404, { message: 'No such image' }]
          : [method === 'POST' ? 201 : 200, { Id: loadedId }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const socket = join(folder, 'engine.sock');
  server.listen(socket);
  await once(server, 'listening');
  return {
    engine: { api: new Docker({ socketPath: socket }), socket },
    requests,
    loadedId,
    plainId,
    calls: () => readFileSync(calls, 'utf8').split(`${BETWEEN}\n`).filter(Boolean).map(callIn),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function callIn(text: string): DockerCall {
  const [argv = '', ...variables] = text.trimEnd().split('\n');
  const pairs = variables.filter((line) => line.includes('=')).map((line) => line.split(/=(.*)/s).slice(0, 2));
  return { argv, environment: Object.fromEntries(pairs) };
}
