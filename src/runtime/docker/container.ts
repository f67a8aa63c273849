import { randomBytes } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, ContainerCreateOptions, HostConfig, Network } from 'dockerode';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { endOfText } from '../../foundation/text.ts';
import { ownerPlace } from '../../host/machine/proc.ts';
import type { ProgramLimits } from '../../model/service.ts';
import { containerEnd, type Ended, endOfLog, lostContainer } from '../ended.ts';
import type { Limits, RuntimeOptions } from '../port.ts';
import { type Engine, engineRefusalOf, isEngineRefusal } from './engine.ts';
import { exitCodeOfExec, KILLED, keepLast, killExec } from './exec.ts';

/** Started container, with the process id of its first process in the engine's own pid namespace. */
export interface StartedContainer {
  readonly container: Container;
  readonly pid: number;
  readonly startedAtMs: number;
}

const MIB = 2 ** 20;

const STOP_SECONDS = 2;

// Engines have different defaults, some only 1024, which is too low for 1000 connections.
const OPEN_FILES = 16_384;

/** Threads count, and a service may have one for each of 1000 connections. */
const MAX_PROCESSES = 4096;

/** Random name for a container, a network or a pod, all of one length, so that no name shows its version. */
export function anonymousName(): string {
  return `wiregauge-${randomBytes(6).toString('hex')}`;
}

/** Creates and starts a container; if the start fails, it is removed and the engine's error thrown. */
export async function startContainer(engine: Engine, settings: ContainerCreateOptions): Promise<StartedContainer> {
  const name = anonymousName();
  const container = await engine.api.createContainer({ name, ...settings });
  try {
    await container.start();
    const { State: state } = await container.inspect();
    return { container, pid: state.Pid, startedAtMs: Date.parse(state.StartedAt) };
  } catch (thrown) {
    await removeContainer(container);
    const { Ulimits: limits, ...others } = settings.HostConfig ?? {};
    // An engine that may itself open fewer files cannot grant more; its own limit applies then.
    if (limits !== undefined && /rlimit/.test(engineRefusalOf(thrown))) {
      return await startContainer(engine, { ...settings, HostConfig: others });
    }
    throw thrown;
  }
}

/** Result of work with the files of an image, by way of a container that is never started. */
export async function withFilesOf<Result>(
  engine: Engine,
  { image, owner, host = {} }: { readonly image: string; readonly owner: string; readonly host?: HostConfig },
  work: (container: Container) => Promise<Result>,
): Promise<Result> {
  // Creating a container of an image without a command requires one.
  const settings = {
    Image: image,
    Cmd: ['-'],
    Labels: containerLabels(owner),
    NetworkDisabled: true,
    HostConfig: host,
  };
  const container = await engine.api.createContainer({ name: anonymousName(), ...settings });
  try {
    return await work(container);
  } finally {
    await removeContainer(container);
  }
}

/** Limits, rights and labels of services, their needs, and the load tool. Of several cores, a program may use its share each. */
export function commonSettings(
  options: RuntimeOptions,
  core: number | readonly number[],
  limits: ProgramLimits | undefined,
): ContainerCreateOptions & { HostConfig: HostConfig } {
  const cores = [core].flat();
  const { cpus, memoryMiB } = limitsOf(options, limits);
  const memory = memoryMiB * MIB;
  return {
    Labels: containerLabels(options.owner),
    // A health check would start a program every few seconds on the service's core and in its CPU time.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...coreSettings(cores, cpus),
      Memory: memory,
      // Memory and swap together: no swap.
      MemorySwap: memory,
      PidsLimit: MAX_PROCESSES,
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': '' },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Ulimits: [{ Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES }],
      // A service that logs every request must neither fill the disk nor wait for the engine to write.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1', mode: 'non-blocking' } },
    },
  };
}

export function coreSettings(cores: readonly number[], cpus: number) {
  return { CpusetCpus: cores.join(','), NanoCpus: Math.round(cores.length * cpus * 1e9) };
}

export function limitsOf({ limits: usual }: RuntimeOptions, own: ProgramLimits | undefined): Limits {
  return { cpus: own?.cpus ?? usual.cpus, memoryMiB: own?.memoryMiB ?? usual.memoryMiB };
}

/** Ends a container, SIGTERM first, and removes it with its anonymous volumes; does nothing if it is already gone. */
export async function stopContainer(container: Container): Promise<void> {
  await container.stop({ t: STOP_SECONDS }).catch(ignoring(304, 404));
  await removeContainer(container);
}

/** Kills and removes a container with its anonymous volumes; does nothing if it is already gone. */
export async function removeContainer(container: Container): Promise<void> {
  await container.remove({ force: true, v: true }).catch(ignoring(404, 409));
}

/** Ignores refusals of the engine with one of these HTTP statuses; rethrows anything else. */
export function ignoring(...statuses: readonly number[]): (thrown: unknown) => void {
  return (thrown) => {
    if (!isEngineRefusal(thrown, ...statuses)) {
      throw thrown;
    }
  };
}

export const MARK = 'wiregauge';

/** Label with the process that a container belongs to: "<pid>:<start time of that process>". */
export const OWNER = 'wiregauge.owner';

/** Label with the place of that process: several users and runners may share an engine. */
export const PLACE = 'wiregauge.place';

export function containerLabels(owner: string): Record<string, string> {
  return { [MARK]: '1', [OWNER]: owner, [PLACE]: ownerPlace() };
}

const STREAM_HEADER_BYTES = 8;

/** Last lines that a container printed on standard output and standard error, in the order in which they were written. */
export async function lastLogLines(container: Container, lines: number): Promise<string> {
  const raw = await container.logs({ stdout: true, stderr: true, tail: lines, follow: false });
  return endOfLog(textOfFrames(raw), lines);
}

/** Text of a log in the engine's framing: each piece with its stream in one byte and its length in the last four of eight. */
export function textOfFrames(raw: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + STREAM_HEADER_BYTES <= raw.length; ) {
    const end = at + STREAM_HEADER_BYTES + raw.readUInt32BE(at + 4);
    pieces.push(raw.subarray(at + STREAM_HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Number of log lines that are searched for the cause of its end. */
const LOOKED_THROUGH = 100;

export interface Ending {
  readonly name: string;
  readonly container: Container;
  readonly memoryMiB: number;
  /** True if Wiregauge is stopping it. */
  readonly isStopping: () => boolean;
}

/** Settles when a container ends unexpectedly, and never when Wiregauge stops it; never rejects. */
export async function endOfContainer(ending: Ending): Promise<Ended> {
  const { name, container, isStopping } = ending;
  let end: Ended | undefined;
  try {
    await container.wait();
    end = isStopping() ? undefined : await endSeen(ending);
  } catch (thrown) {
    end = lostContainer(name, messageOf(thrown));
  }
  // An end caused by Wiregauge is expected.
  return end === undefined || isStopping() ? new Promise(() => undefined) : end;
}

async function endSeen({ name, container, memoryMiB }: Ending): Promise<Ended> {
  const { OOMKilled, ExitCode } = await stateAtEnd(container);
  const log = await lastLogLines(container, LOOKED_THROUGH);
  return containerEnd({ name, exitCode: OOMKilled ? 'out-of-memory' : ExitCode, limitMiB: memoryMiB, log });
}

const LOOKS = 21;

const LOOK_PAUSE_MS = 100;

/**
 * State of a container that has ended. The engine learns of a kill for memory separately from the end, on a busy machine after it: so a killed
 * container is inspected again.
 */
async function stateAtEnd(container: Container) {
  for (let look = 1; ; look += 1) {
    const { State: state } = await container.inspect();
    if (state.OOMKilled || state.ExitCode !== KILLED || look === LOOKS) {
      return state;
    }
    await sleep(LOOK_PAUSE_MS);
  }
}

/** Network of the engine in which containers find each other by name. Disposing of it removes it. */
export interface OwnNetwork extends AsyncDisposable {
  readonly name: string;
  /** Adds a running container to it by an alias, in addition to its other networks. */
  connect(container: Container, alias: string): Promise<void>;
}

export async function makeNetwork(engine: Engine, owner: string): Promise<OwnNetwork> {
  const name = anonymousName();
  const network = await engine.api
    .createNetwork({ Name: name, Driver: 'bridge', Labels: containerLabels(owner) })
    .catch((cause: unknown) => {
      throw new EnvironmentError(`the network of the services cannot be created: ${engineRefusalOf(cause)}`, {
        code: 'WG-309',
        cause,
        next: 'Remove unused networks: docker network prune.',
      });
    });
  const joined = new Set<Container>();
  return {
    name,
    async connect(container, alias) {
      await network.connect({ Container: container.id, EndpointConfig: { Aliases: [alias] } });
      joined.add(container);
    },
    async [Symbol.asyncDispose]() {
      for (const container of joined) {
        await network.disconnect({ Container: container.id, Force: true }).catch(ignoring(403, 404, 409));
      }
      joined.clear();
      await removeNetwork(network);
    },
  };
}

export async function removeNetwork(network: Network): Promise<void> {
  await network.remove().catch(ignoring(404));
}

/** Runs a command in a running container; undefined if it took too long and was ended. */
export async function runInContainer(
  container: Container,
  command: readonly string[],
  limitMs: number,
): Promise<{ readonly exitCode: number; readonly printed: string } | undefined> {
  const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
  const output = await exec.start({ hijack: true, stdin: false });
  const printed = keepLast(PRINTED_BYTES);
  exec.modem.demuxStream(output, printed.sink, printed.sink);
  const closed = finished(output, { writable: false }).catch(() => undefined);
  const over = await Promise.race([closed.then(() => true), sleep(limitMs, false, { ref: false })]);
  if (!over) {
    await killExec(container, exec);
    output.destroy();
    return undefined;
  }
  return { exitCode: await exitCodeOfExec(exec), printed: printed.text() };
}

const LIMIT_MS = 10_000;

/** Limit of printed bytes; the longest output is the functions of a counted service. */
const PRINTED_BYTES = 256 * 1024;

const REASON_LENGTH = 500;

/** Runs a command in a running container, with its environment; returns the reason for a failure, undefined on success. */
export async function tryInContainer(container: Container, command: readonly string[]): Promise<string | undefined> {
  try {
    const end = await runInContainer(container, command, LIMIT_MS);
    if (end === undefined) {
      return `took more than ${LIMIT_MS / 1000} s`;
    }
    const { exitCode, printed } = end;
    return exitCode === 0 ? undefined : `ended with exit code ${exitCode}: ${endOfText(printed, REASON_LENGTH)}`;
  } catch (thrown) {
    return engineRefusalOf(thrown);
  }
}
