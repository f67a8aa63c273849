import { afterAll, beforeAll, expect, vi } from 'vitest';
import { parseService } from '../../src/config/parse.ts';
import { readProc } from '../../src/host/files/reader.ts';
import { readProtos } from '../../src/host/files/repository.ts';
import { allProcesses, isRunning } from '../../src/host/machine/proc.ts';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import type { Load, LoadEnd, Records, Target, TargetRequest } from '../../src/model/load.ts';
import type { Service } from '../../src/model/service.ts';
import { manifestOf, manifestsIn } from '../../src/project/manifests.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { generatorFor, PROTOCOLS } from '../../src/protocols/protocols.ts';
import { connectEngine } from '../../src/runtime/docker/engine.ts';
import { dockerRuntime } from '../../src/runtime/docker/runtime.ts';
import type { RunningService, Runtime, RuntimeOptions } from '../../src/runtime/port.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { containersOf } from '../integration/docker-bench.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { marked, optionsOf, ownedFolders } from '../integration/plain-service.ts';
import { buildArgsForTests } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';
import { NO_SECRETS } from '../support/secrets.ts';

type RuntimeName = Runtime['name'];

/** One of the project's own services, and its operations in its own words. */
export interface OwnService {
  readonly service: Service;
  readonly getUser: readonly TargetRequest[];
  readonly listUsers: readonly TargetRequest[];
}

/** Options of a runtime that has the real driver. */
async function blockOptions(): Promise<RuntimeOptions> {
  return { ...optionsOf(process.cwd()), tools: await realLoadTools() };
}

/** A runtime, whether it can be tried here, and the project's own services that are played in it. */
export interface TriedRuntime {
  readonly name: 'docker' | 'process';
  readonly isHere: boolean;
  readonly services: readonly ('rest' | 'grpc')[];
}

/** The runtimes that there are. What the driver does by protocol is the same in both. */
export const RUNTIMES = {
  docker: { name: 'docker', isHere: requires('docker'), services: ['rest'] },
  process: { name: 'process', isHere: true, services: ['rest', 'grpc'] },
} as const satisfies Readonly<Record<string, TriedRuntime>>;

/** Image builds on a machine that has none of their layers yet. */
const WITH_BUILDS_MS = 900_000;

/** A runtime that stands with the services built while the tests of a `describe` run, and leaves nothing behind them. */
export interface StandingRuntime {
  readonly options: RuntimeOptions;
  readonly runtime: Runtime;
}

/** Opens the runtime for the tests of the `describe` that it is called in; nothing if it cannot be tried here. */
export function standingRuntime({ name, isHere, services }: TriedRuntime): StandingRuntime {
  let options: RuntimeOptions | undefined;
  let runtime: Runtime | undefined;
  beforeAll(async () => {
    if (isHere) {
      options = await blockOptions();
      runtime = await openRuntime(name, options);
      await runtime.prepare(
        services.map((service) => ownService(service).service),
        new AbortController().signal,
      );
    }
  }, WITH_BUILDS_MS);
  afterAll(async () => {
    await runtime?.[Symbol.asyncDispose]();
    expect([marked(options?.owner ?? ''), ownedFolders(options?.owner ?? '')]).toEqual([[], []]);
  });
  return {
    get options() {
      return options ?? expect.fail('the runtime does not stand');
    },
    get runtime() {
      return runtime ?? expect.fail('the runtime does not stand');
    },
  };
}

/** Starts a service once for the tests of the `describe` that it is called in: none of them ends it. */
export function sharedService({ isHere }: TriedRuntime, standing: StandingRuntime, own: OwnService) {
  let running: RunningService | undefined;
  beforeAll(async () => {
    if (isHere) {
      running = await standing.runtime.start(own.service);
      await ready(own, running);
    }
  });
  afterAll(async () => await running?.[Symbol.asyncDispose]());
  return () => running ?? expect.fail('the service does not run');
}

async function openRuntime(name: RuntimeName, options: RuntimeOptions): Promise<Runtime> {
  return name === 'docker'
    ? await dockerRuntime({ ...options, buildArgs: buildArgsForTests() })
    : await processRuntime(options);
}

export function ownService(name: 'rest' | 'grpc'): OwnService {
  const service = parseService(manifestOf('.', manifestsIn('.'), name), {
    protoTexts: (root) => readProtos('.', root),
  });
  const ids = [1, 2, 3];
  return name === 'rest'
    ? {
        service,
        getUser: ids.map((id) => ({ call: `GET /user/${id}`, body: undefined })),
        listUsers: [{ call: 'GET /users', body: undefined }],
      }
    : {
        service,
        getUser: ids.map((id) => ({ call: 'user.v1.UserService/GetUser', body: { id } })),
        listUsers: [{ call: 'user.v1.UserService/ListUsers', body: {} }],
      };
}

/** Waits until a service answers. */
export async function ready({ service, listUsers }: OwnService, { address }: RunningService): Promise<void> {
  const client = protocolClient(NO_SECRETS);
  const ask = async () => (await client.call(service, address, listUsers[0] ?? { call: '', body: undefined })).status;
  // Also in a hook, where there is no `expect.poll`.
  await vi.waitUntil(async () => /^(200|OK)$/.test(await ask().catch(String)), { timeout: 60_000, interval: 100 });
}

/** A pace: requests per second of an open load, or a closed loop. */
type Pace = number | 'saturate';

/** Loads of so many seconds, one for each list of requests. */
export function loadsOf(
  own: OwnService,
  { loadAddress }: Pick<RunningService, 'loadAddress'>,
  block: {
    readonly pace: Pace;
    readonly seconds: number;
    readonly parts?: readonly (readonly TargetRequest[])[];
    readonly jitterSeed?: number;
  },
) {
  const { pace, seconds, parts = [own.getUser], jitterSeed } = block;
  return parts.map((requests) => {
    const plain: Target = { address: loadAddress, requests };
    const target = PROTOCOLS[own.service.protocol].encoded?.(plain, own.service) ?? plain;
    const common = { target, seconds, workers: 8, timeoutSeconds: 5 };
    const load: Load =
      pace === 'saturate'
        ? { kind: 'saturate', ...common }
        : { kind: 'open', ...common, ratePerSecond: pace, jitterSeed };
    return { tool: generatorFor(own.service.protocol), load };
  });
}

/** The records of a load that was sent. */
export async function recordsOf(end: LoadEnd | undefined): Promise<Records> {
  const records = readRecords((await end?.records()) ?? new Uint8Array());
  return records ?? expect.fail('the records are cut off');
}

/** Pids of the drivers that belong to an owner. */
export async function driversOf(name: RuntimeName, owner: string): Promise<readonly number[]> {
  const drivers = allProcesses().filter((stat) => stat.name === 'wiregauge-load' && isRunning(stat));
  const pids = drivers.map(({ pid }) => pid);
  if (name === 'process') {
    const own = marked(owner);
    return pids.filter((pid) => own.includes(pid));
  }
  const containers = await containersOf(await connectEngine(), owner);
  return pids.filter((pid) => isExec(pid) && containers.some((id) => readProc(`/proc/${pid}/cgroup`)?.includes(id)));
}

/** Whether a process was started in a container that was there, and is not the one that keeps it. */
function isExec(pid: number): boolean {
  return readProc(`/proc/${pid}/status`)?.match(/^NSpid:.*\s(\d+)$/m)?.[1] !== '1';
}
