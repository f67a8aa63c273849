import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ownerOf } from '../../src/host/machine/proc.ts';
import type { Service } from '../../src/model/service.ts';
import { connectEngine, type Engine } from '../../src/runtime/docker/engine.ts';
import type { ImageOptions } from '../../src/runtime/docker/images/images.ts';
import { dockerRuntime } from '../../src/runtime/docker/runtime.ts';
import type { RunningService, Runtime } from '../../src/runtime/port.ts';
import { buildArgsForTests, PINNED_PYTHON } from '../stand-ins/build-args.ts';
import { realLoadTools } from './load-tools.ts';
import { pythonServer } from './python-server.ts';

/** A Docker runtime with a small service of its own, made from the image of Python alone. */
export interface DockerBench {
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly options: ImageOptions;
  readonly service: Service;
  /** Another runtime with the service's image. */
  another(): Promise<Runtime>;
  remove(): Promise<void>;
}

/** Whose containers these are: this program's, so that no start of another one takes them for orphans. */
export const OWNER = ownerOf(process.pid) ?? '';

const SERVER = pythonServer(
  "{'user': os.getuid(), 'root': write('/app/x'), 'tmp': write('/tmp/x'), 'environment': dict(os.environ)}",
  `signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print('listening', flush=True)`,
);

const DOCKERFILE = `ARG PYTHON_IMAGE=${PINNED_PYTHON}
FROM $PYTHON_IMAGE
WORKDIR /app
COPY server.py ./
USER 10001:10001
HEALTHCHECK --interval=1s CMD ["false"]
CMD ["python3", "server.py"]
`;

export async function makeDockerBench(changes: Partial<ImageOptions> = {}): Promise<DockerBench> {
  const root = mkdtempSync(join(tmpdir(), 'docker-bench-'));
  writeFileSync(join(root, 'server.py'), SERVER);
  writeFileSync(join(root, 'Dockerfile'), DOCKERFILE);
  const options: ImageOptions = {
    root,
    tools: await realLoadTools(),
    limits: { cpus: 1, memoryMiB: 64 },
    cores: { service: 0, load: 1 },
    reason: 'asked for',
    owner: OWNER,
    log: () => undefined,
    buildArgs: buildArgsForTests(),
    ...changes,
  };
  const runtime = await dockerRuntime(options);
  const service = smallService();
  await runtime.prepare([service], AbortSignal.timeout(120_000));
  return {
    engine: await connectEngine(),
    runtime,
    options,
    service,
    async another() {
      const other = await dockerRuntime(options);
      await other.prepare([service], AbortSignal.timeout(120_000));
      return other;
    },
    async remove() {
      await runtime[Symbol.asyncDispose]();
      rmSync(root, { recursive: true });
    },
  };
}

function smallService(): Service {
  return {
    name: 'small',
    title: 'Small',
    protocol: 'rest',
    image: { context: '.', dockerfile: 'Dockerfile', target: undefined },
    process: { build: [], command: [] },
    port: 5000,
    environment: { GREETING: 'good morning' },
    proto: undefined,
  };
}

/** Ids of all containers of an owner, running or not. */
export async function containersOf(engine: Engine, owner: string): Promise<readonly string[]> {
  const filters = { label: [`wiregauge.owner=${owner}`] };
  return (await engine.api.listContainers({ all: true, filters })).map(({ Id: id }) => id);
}

/** What the service answers at a path, as soon as it answers at all. */
export async function answerOf({ address }: RunningService, path = '/'): Promise<Record<string, unknown>> {
  const ask = async (): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(2000) });
    return await response.json();
  };
  let answer: unknown;
  await expect.poll(async () => (answer = await ask()), { timeout: 20_000 }).toBeTypeOf('object');
  return { ...Object(answer) };
}
