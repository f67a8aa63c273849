import { basename, isAbsolute, resolve } from 'node:path';
import { ConfigError, ifPossible, withFallback } from '../../foundation/errors.ts';
import { type Child, type ChildEnd, isProgram, programOnPath, runChild, startChild } from '../../host/child.ts';
import { readBytes } from '../../host/files/reader.ts';
import { freePort, ownPort } from '../../host/machine/ports.ts';
import { treeCounters } from '../../host/machine/proc.ts';
import { beginningOf, endingOf } from '../../model/secrets/mask.ts';
import { causeFirst } from '../../model/secrets/printed.ts';
import { type Program, portVariables, type Service } from '../../model/service.ts';
import { type Ended, processEnd, processOverLimit } from '../ended.ts';
import { COUNTED_MEMORY, steadyEnvironment } from '../valgrind/valgrind.ts';
import { type Counting, pythonEnvironment, type Site, siteEnvironment } from './site.ts';

const PRINTED_LINES = 8;
const LONGEST_CAUSE = 300;
const LONGEST_LINE = 120;
/** Number of log lines that are searched for the cause of its end. */
const LOOKED_THROUGH = 100;
const PRINTED_LENGTH = 1200;
const TRY_SECONDS = 10;

export interface ProgramStart {
  readonly site: Site;
  readonly program: Program & Pick<Service, 'entry'>;
  /** Prefix of its command, unless it is counted. */
  readonly before: readonly string[];
  readonly counting: Counting | undefined;
  /** Folders that come first on its PATH. */
  readonly folders: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a program on a free port, or on its fixed one; throws ConfigError without a command, and EnvironmentError if that cannot be started. */
export async function startProgram(start: ProgramStart): Promise<ProgramProcess> {
  const { program, counting, folders } = start;
  const { process: source, name, entry = name } = program;
  if (source === undefined) {
    throw new ConfigError(`${name}: has no command to start it as a plain process`, {
      code: 'WG-116',
      next: 'Set its `process`, or measure it in a container with --runtime docker.',
    });
  }
  const port = await (source.port === undefined ? freePort() : ownPort(source.port));
  const ports: Record<string, number> = {};
  for (const key of Object.keys(program.ports ?? {})) {
    ports[key] = await freePort();
  }
  const site = counting?.site ?? start.site;
  const { root } = site.options;
  const base = siteEnvironment(site);
  const own =
    counting === undefined
      ? start.environment
      : steadyEnvironment(start.environment, { programs: counting.programs, usual: base.PATH }, counting.mode);
  const environment = {
    ...base,
    ...(folders.length > 0 && { UV_PROJECT_ENVIRONMENT: pythonEnvironment(root) }),
    ...own,
    PATH: [...folders, own['PATH'] ?? base['PATH']].join(':'),
    HOST: '127.0.0.1',
    ...portVariables({ port, ports }, source.port === undefined ? {} : own),
  };
  const argv =
    counting === undefined
      ? [...start.before, ...source.command]
      : [
          ...site.onServiceCore,
          ...counting.beforeOf(entry),
          ...(await withoutShim(source.command, { root, environment })),
        ];
  const startedAtMs = Date.now();
  const child = await startChild({ argv, cwd: root, environment });
  return owned({ site, program, counting, child, startedAtMs, port, ports, environment });
}

interface Started extends Pick<ProgramStart, 'site' | 'program' | 'counting'> {
  readonly child: Child;
  readonly startedAtMs: number;
  readonly port: number;
  readonly ports: Readonly<Record<string, number>>;
  readonly environment: CommandPlace['environment'];
}

/** Process group of one program, which is ended when it exceeds its memory limit. */
export type ProgramProcess = ReturnType<typeof owned>;

function owned(start: Started) {
  const { site, program, counting, child, startedAtMs, port, ports, environment } = start;
  const limitMiB =
    (counting === undefined ? 1 : COUNTED_MEMORY) * (program.limits?.memoryMiB ?? site.options.limits.memoryMiB);
  let isStopping = false;
  let overLimit: Ended | undefined;
  let peakMemoryMiB = 0;
  return {
    ...{ port, ports, pid: child.pid, startedAtMs },
    /** Settles when it ends unexpectedly; never rejects. */
    ended: new Promise<Ended>((resolve) => {
      void child.ended.then((end) => {
        if (!isStopping) {
          resolve(overLimit ?? endOf(end, start));
        }
      });
    }),
    get peakMemoryMiB() {
      return peakMemoryMiB;
    },
    lastLines: (count: number) => child.lastLines(count),
    /** Current use; above its memory limit it is ended. */
    sample(): ReturnType<typeof treeCounters> {
      const counters = treeCounters(child.pid);
      const { memoryMiB } = counters;
      peakMemoryMiB = Math.max(peakMemoryMiB, memoryMiB);
      if (memoryMiB > limitMiB && overLimit === undefined) {
        overLimit = processOverLimit(memoryMiB, limitMiB);
        void child.stop(0).catch(() => undefined);
      }
      return counters;
    },
    /** Reason that a command failed in the program's environment; undefined on success. */
    async tries(command: readonly string[]): Promise<string | undefined> {
      const argv = [...site.onLoadCore, ...command];
      const cwd = site.options.root;
      const end = await withFallback(() => runChild({ argv, cwd, environment }, { limitSeconds: TRY_SECONDS }));
      if (end === undefined) {
        return `${command[0]} cannot be started`;
      }
      const how = end.timedOut ? `took more than ${TRY_SECONDS} s` : `ended with exit code ${end.exitCode}`;
      return end.exitCode === 0 && !end.timedOut ? undefined : `${how}: ${endingOf(end.lastLines, PRINTED_LENGTH)}`;
    },
    expectEnd(): void {
      isStopping = true;
    },
    /** Ends it, SIGTERM first. The last files of a counted program take seconds and are not needed. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      await child.stop(counting === undefined ? graceMs : 0);
    },
  };
}

function endOf({ signal, exitCode }: ChildEnd, { child, port }: Started): Ended {
  const [cause = '', ...rest] = causeFirst(child.lastLines(LOOKED_THROUGH), PRINTED_LINES);
  const printed = [beginningOf(cause, LONGEST_CAUSE), ...rest.map((line) => beginningOf(line, LONGEST_LINE))].join(
    ' | ',
  );
  const takenPort = /address already in use/i.test(child.lastLines(PRINTED_LINES)) ? port : undefined;
  return processEnd(signal ?? exitCode, printed, takenPort);
}

interface CommandPlace {
  /** Its working folder. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Last line of the scripts that pyenv, rbenv and the like put on the PATH instead of programs: the script at this path starts the right one. */
const SHIM = /^exec "(\/[^"\n]+)" exec "\$program" "\$@"$/m;

/** Such a script has about three hundred bytes. */
const MAX_BYTES = 4096;

const ASK_SECONDS = 10;

/** Command that starts the program itself instead of its shim, whose scripts are slow under Valgrind and may fail there. */
export async function withoutShim(command: readonly string[], place: CommandPlace): Promise<readonly string[]> {
  const [name = '', ...rest] = command;
  const path = name.includes('/')
    ? resolve(place.root, name)
    : programOnPath(name, place.environment['PATH'] ?? '', place.root);
  // It may be a folder with that name, for example.
  const script = ifPossible(() => readBytes(path ?? '', { most: MAX_BYTES, isCut: true }).toString('utf8')) ?? '';
  const [, manager] = script.startsWith('#!') ? (SHIM.exec(script) ?? []) : [];
  if (path === undefined || manager === undefined) {
    return command;
  }
  const environment = { ...place.environment, ...exportsIn(script) };
  // Suppresses its warnings.
  const request = ['sh', '-c', '"$1" which "$2" 2>/dev/null', 'sh', manager, basename(path)];
  const end = await runChild({ argv: request, cwd: place.root, environment }, { limitSeconds: ASK_SECONDS }).catch(
    () => undefined,
  );
  const found = end?.exitCode === 0 ? end.lastLines.trim() : '';
  return isAbsolute(found) && isProgram(found) ? [found, ...rest] : command;
}

/** Variables that a shim sets, with the place of its programs. */
function exportsIn(script: string): Readonly<Record<string, string>> {
  const found = script.matchAll(/^export (\w+)="([^"\n$`\\]*)"$/gm);
  return Object.fromEntries([...found].map(([, variable = '', value = '']) => [variable, value]));
}
