import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EnvironmentError, MeasurementError } from '../../foundation/index.ts';
import { type ChildEnd, runChild } from '../../host/index.ts';
import type { Counter, Counts } from '../port.ts';
import { parseCounts, sumOfCounts } from './counts.ts';

/** Valgrind on this machine. */
export interface ValgrindPlace extends Counter {
  /** Its programs `valgrind` and `vgdb`. */
  readonly valgrind: string;
  readonly vgdb: string;
  /** What stands before it, so that programs lie at the same addresses in each start; empty where the kernel refuses that. */
  readonly before: readonly string[];
}

const PROBE_SECONDS = 20;

/** Longer than the dump of any service took. */
const DUMP_SECONDS = 60;

/** Looks for Valgrind on a PATH; undefined where it is not there, or does not start. */
export async function findValgrind(path: string): Promise<ValgrindPlace | undefined> {
  for (const folder of path.split(':').filter((one) => one !== '')) {
    const valgrind = join(folder, 'valgrind');
    const version = /^valgrind-(\S+)/m.exec((await probe([valgrind, '--version']))?.lastLines ?? '')?.[1];
    if (version !== undefined) {
      const before = ['setarch', '-R'];
      const isFixed = (await probe([...before, 'true']))?.exitCode === 0;
      return {
        name: 'valgrind',
        version,
        architecture: process.arch,
        valgrind,
        vgdb: join(dirname(valgrind), 'vgdb'),
        before: isFixed ? before : [],
      };
    }
  }
  return undefined;
}

/** Undefined where a program cannot be started. */
async function probe(argv: readonly string[]): Promise<ChildEnd | undefined> {
  return await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: PROBE_SECONDS }).catch(
    () => undefined,
  );
}

/** Valgrind as it is needed here; throws EnvironmentError where it is not on this machine. */
export async function requireValgrind(path = process.env['PATH'] ?? ''): Promise<ValgrindPlace> {
  const found = await findValgrind(path);
  if (found === undefined) {
    throw new EnvironmentError('Valgrind, which counts instructions, is not on this machine', {
      next: 'Install it: `sudo apt-get install -y valgrind` on Debian and Ubuntu.',
    });
  }
  return found;
}

/** The runtimes in which instructions can be counted on this machine. */
export async function runtimesThatCount(path = process.env['PATH'] ?? ''): Promise<readonly 'process'[]> {
  return (await findValgrind(path)) === undefined ? [] : ['process'];
}

const COUNTS = 'counts';

const DOORS = 'door';

/** What stands before the command of a service, so that all of its programs are counted. Its files go into a folder of this start alone. */
export function countingCommand({ before, valgrind }: ValgrindPlace, folder: string): readonly string[] {
  return [
    ...before,
    valgrind,
    '--tool=callgrind',
    // A script or `env` starts the service proper.
    '--trace-children=yes',
    '--cache-sim=no',
    // Only the sums are read, and lines of source take half of a dump's time.
    '--dump-line=no',
    '--collect-systime=yes',
    `--callgrind-out-file=${join(folder, COUNTS)}.%p`,
    `--vgdb-prefix=${join(folder, DOORS)}`,
    `--log-file=${join(folder, 'log')}.%p`,
  ];
}

const NO_PREEMPTION = 'asyncpreemptoff=1';

/**
 * The variables of a service with those that make one start like another: Python orders its tables by the same numbers, and Go's scheduler
 * sends its threads no signals, of which callgrind dies.
 */
export function steadyEnvironment(own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { GODEBUG: debug } = own;
  return { PYTHONHASHSEED: '0', ...own, GODEBUG: debug === undefined ? NO_PREEMPTION : `${debug},${NO_PREEMPTION}` };
}

/** Where a program under Valgrind is asked. */
interface Door {
  readonly pid: string;
  readonly user: string;
  readonly host: string;
}

/** Reads what the programs of one service have counted. */
export class CountReader {
  readonly #place: ValgrindPlace;
  readonly #folder: string;

  constructor(place: ValgrindPlace, folder: string) {
    this.#place = place;
    this.#folder = folder;
  }

  /**
   * What all programs of the service executed since it was last asked, those that have ended meanwhile included. Throws MeasurementError
   * where one of them does not tell.
   */
  async next(): Promise<Counts> {
    const doors = await this.#doors();
    await Promise.all(doors.map((door) => this.#dump(door)));
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(`${COUNTS}.`));
    const taken = await Promise.all(names.map((name) => this.#taken(join(this.#folder, name))));
    const counts = taken.flatMap((one) => one ?? []);
    if (counts.length === 0) {
      throw new MeasurementError('no program of the service runs under Valgrind', {
        next: 'Does its command only ask another program to start it, as `docker run` or `systemctl` do? Start it itself.',
      });
    }
    return sumOfCounts(counts);
  }

  /** Those that can be asked: each has a pipe in the folder, with its number and what it takes for the names of its user and its host. */
  async #doors(): Promise<readonly Door[]> {
    const names = await readdir(this.#folder);
    return names.flatMap((name) => {
      const [, pid, user, host] = /-from-vgdb-to-(\d+)-by-(.+)-on-(.+)$/.exec(name) ?? [];
      return pid === undefined || user === undefined || host === undefined ? [] : [{ pid, user, host }];
    });
  }

  async #dump({ pid, user, host }: Door): Promise<void> {
    const argv = [this.#place.vgdb, `--vgdb-prefix=${join(this.#folder, DOORS)}`, `--pid=${pid}`, 'dump'];
    // It finds the pipe by these.
    const environment = { ...process.env, LOGNAME: user, HOST: host };
    const end = await runChild({ argv, cwd: '/', environment }, { limitSeconds: DUMP_SECONDS });
    // One that has ended by now has written its counts itself.
    if (end.exitCode !== 0 && (await this.#doors()).some((door) => door.pid === pid)) {
      throw new MeasurementError(`process ${pid} does not tell what it counted: ${end.lastLines}`, {
        next: 'Valgrind is asked by ptrace: is it forbidden here (kernel.yama.ptrace_scope, seccomp)?',
      });
    }
  }

  /** Read once, so that nothing is counted twice; undefined of the file that each program begins with, and fills when it ends. */
  async #taken(file: string): Promise<Counts | undefined> {
    const text = await readFile(file, 'utf8');
    if (text === '') {
      return undefined;
    }
    await rm(file);
    return parseCounts(text);
  }
}
