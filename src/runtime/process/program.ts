import { EnvironmentError } from '../../foundation/errors.ts';
import { type Child, type ChildEnd, runChild, startChild } from '../../host/child.ts';
import { freePort, ownPort } from '../../host/machine/ports.ts';
import { treeCounters } from '../../host/machine/proc.ts';
import { beginningOf, endingOf } from '../../model/secrets/mask.ts';
import { causeFirst } from '../../model/secrets/printed.ts';
import { type Program, portVariables } from '../../model/service.ts';
import type { ProcessEnd } from '../ended.ts';
import { withoutShim } from './shim.ts';
import { pythonEnvironment, type Site, siteEnvironment } from './site.ts';

const PRINTED_LINES = 8;
const LONGEST_CAUSE = 300;
const LONGEST_LINE = 120;
/** For its log, in which the line that says what went wrong is looked for. */
const LOOKED_THROUGH = 100;
const PRINTED_LENGTH = 1200;
const TRY_SECONDS = 10;

export interface ProgramStart {
  readonly site: Site;
  readonly program: Program;
  readonly command: readonly string[];
  /** Prefixes of the command: for its core, and for counting. */
  readonly before: readonly string[];
  /** How much more memory it may use than its limit, for what stands before it; undefined: none. */
  readonly memoryFactor?: number | undefined;
  /** True if its instructions are counted. */
  readonly isCounted?: boolean | undefined;
  /** These go first on its PATH. */
  readonly folders: readonly string[];
  /** Its own variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a program on a free port, or on the one that it listens on whatever it is told; throws EnvironmentError if it cannot be started. */
export async function startProgram(start: ProgramStart): Promise<ProgramProcess> {
  const fixed = start.program.process?.port;
  const port = await (fixed === undefined ? freePort() : ownPort(fixed));
  const ports: Record<string, number> = {};
  for (const name of Object.keys(start.program.ports ?? {})) {
    ports[name] = await freePort();
  }
  const environment = environmentOf(start, { port, ports });
  const { root } = start.site.options;
  const command = start.isCounted ? await withoutShim(start.command, { root, environment }) : start.command;
  const startedAtMs = Date.now();
  const child = await startChild({ argv: [...start.before, ...command], cwd: root, environment });
  return new ProgramProcess({ ...start, child, startedAtMs, port, ports, environment });
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Ports {
  readonly port: number;
  readonly ports: Readonly<Record<string, number>>;
}

function environmentOf({ site, folders, environment }: ProgramStart, ports: Ports): Environment {
  const base = siteEnvironment(site);
  return {
    ...base,
    ...(folders.length > 0 && { UV_PROJECT_ENVIRONMENT: pythonEnvironment(site.options.root) }),
    ...environment,
    PATH: [...folders, environment['PATH'] ?? base['PATH']].join(':'),
    HOST: '127.0.0.1',
    ...portVariables(ports),
  };
}

interface Started extends Omit<ProgramStart, 'environment'>, Ports {
  readonly child: Child;
  readonly startedAtMs: number;
  readonly environment: Environment;
}

/** Owns the process group of one program, and ends it when it uses more memory than it may. */
export class ProgramProcess {
  readonly port: number;
  /** Its further ports. */
  readonly ports: Readonly<Record<string, number>>;
  readonly pid: number;
  /** Unix time. */
  readonly startedAtMs: number;
  /** Settles when it ends by itself; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  peakMemoryMiB = 0;
  readonly #start: Started;
  #stopping = false;
  #overLimit: ProcessEnd | undefined;

  constructor(start: Started) {
    this.#start = start;
    this.port = start.port;
    this.ports = start.ports;
    this.pid = start.child.pid;
    this.startedAtMs = start.startedAtMs;
    this.ended = new Promise((resolve) => {
      void start.child.ended.then((end) => {
        if (!this.#stopping) {
          resolve(this.#overLimit ?? endOf(end, start));
        }
      });
    });
  }

  lastLines(count: number): string {
    return this.#start.child.lastLines(count);
  }

  /** Its current use; over its memory limit it is ended. */
  sample(): ReturnType<typeof treeCounters> {
    const { site, program, child, memoryFactor = 1 } = this.#start;
    const limitMiB = memoryFactor * (program.limits?.memoryMiB ?? site.options.limits.memoryMiB);
    const counters = treeCounters(child.pid);
    const { memoryMiB } = counters;
    this.peakMemoryMiB = Math.max(this.peakMemoryMiB, memoryMiB);
    if (memoryMiB > limitMiB && this.#overLimit === undefined) {
      this.#overLimit = { of: 'process', kind: 'out-of-memory', limitMiB, memoryMiB };
      void child.stop(0).catch(() => undefined);
    }
    return counters;
  }

  /** Why a command with the program's environment did not succeed; undefined if it did. */
  async tries(command: readonly string[]): Promise<string | undefined> {
    const { site, environment } = this.#start;
    const argv = [...site.onLoadCore, ...command];
    const end = await runChild({ argv, cwd: site.options.root, environment }, { limitSeconds: TRY_SECONDS }).catch(
      (thrown: unknown) => {
        if (thrown instanceof EnvironmentError) {
          return undefined;
        }
        throw thrown;
      },
    );
    if (end === undefined) {
      return `${command[0]} cannot be started`;
    }
    const how = end.timedOut ? `took more than ${TRY_SECONDS} s` : `ended with exit code ${end.exitCode}`;
    return end.exitCode === 0 && !end.timedOut ? undefined : `${how}: ${endingOf(end.lastLines, PRINTED_LENGTH)}`;
  }

  /** From now on its end is none by itself. */
  expectEnd(): void {
    this.#stopping = true;
  }

  /** Ends it, SIGTERM first. */
  async stop(graceMs: number): Promise<void> {
    this.expectEnd();
    await this.#start.child.stop(graceMs);
  }
}

function endOf({ signal, exitCode }: ChildEnd, { child, port }: Started): ProcessEnd {
  const [cause = '', ...rest] = causeFirst(child.lastLines(LOOKED_THROUGH), PRINTED_LINES);
  const printed = [beginningOf(cause, LONGEST_CAUSE), ...rest.map((line) => beginningOf(line, LONGEST_LINE))].join(
    ' | ',
  );
  const takenPort = /address already in use/i.test(child.lastLines(PRINTED_LINES)) ? port : undefined;
  return signal === undefined
    ? { of: 'process', kind: 'exit', code: exitCode, printed, takenPort }
    : { of: 'process', kind: 'signal', signal, printed, takenPort };
}
