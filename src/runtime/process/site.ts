import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { readProc } from '../../host/files/reader.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { parseOpenFilesLimit } from '../../host/machine/proc-files.ts';
import type { CountDetail, CountingMode, Counts, RuntimeOptions } from '../port.ts';

/** Place where plain processes are started: the options of the runtime, and prefixes for commands on this machine. */
export interface Site {
  readonly options: RuntimeOptions;
  /** Argument vectors that pin a program to its core, with enough open files. */
  readonly onServiceCore: readonly string[];
  readonly onLoadCore: readonly string[];
}

// 1000 connections, in addition to the open files of an interpreter.
const OPEN_FILES = 4096;
const PROBE_SECONDS = 10;

/** Checks the programs that pin others to cores. Throws EnvironmentError if `taskset` is missing or a core cannot be used. */
export async function openSite(options: RuntimeOptions): Promise<Site> {
  const { cores, log } = options;
  const openFiles = await openFilesPrefix(log);
  const onServiceCore = [...openFiles, ...(await corePrefix(cores.service))];
  const onLoadCore = [...openFiles, ...(await corePrefix(cores.load))];
  return { options, onServiceCore, onLoadCore };
}

export function onCore({ onServiceCore }: Site, ...cores: readonly number[]): readonly string[] {
  return [...onServiceCore.slice(0, -1), cores.join(',')];
}

export function siteEnvironment({ options }: Site) {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { PATH: PATH || '/usr/local/bin:/usr/bin:/bin', HOME, LANG, TMPDIR, [OWNER_VARIABLE]: options.owner };
}

/** Environment in which uv builds the Python services. */
export function pythonEnvironment(root: string): string {
  return join(root, '.wiregauge', 'venv');
}

async function corePrefix(core: number): Promise<readonly string[]> {
  const prefix = ['taskset', '-c', String(core)];
  const end = await probe([...prefix, 'true']).catch((cause: unknown) => {
    throw new EnvironmentError('taskset is missing: it pins the service and the load tool to their cores', {
      code: 'WG-213',
      cause,
      next: 'Install util-linux, or measure with --runtime docker.',
    });
  });
  if (end.exitCode !== 0) {
    throw new EnvironmentError(`core ${core} cannot be used: ${end.lastLines}`, {
      code: 'WG-213',
      next: 'Check which cores Wiregauge may use: `taskset -cp $$`.',
    });
  }
  return prefix;
}

// Node raises its own soft limit to the hard one at its start, which children inherit; only root can exceed it.
async function openFilesPrefix(log: (line: string) => void): Promise<readonly string[]> {
  const limit = parseOpenFilesLimit(readProc('/proc/self/limits') ?? '');
  if (limit >= OPEN_FILES) {
    return [];
  }
  const prefix = ['prlimit', `--nofile=${OPEN_FILES}:${OPEN_FILES}`];
  const raised = await probe([...prefix, 'true']).catch(() => undefined);
  if (raised?.exitCode === 0) {
    return prefix;
  }
  log(`only ${limit} open files are allowed: requests will fail at tiers with more users (see \`ulimit -Hn\`)`);
  return [];
}

async function probe(argv: readonly string[]): Promise<ChildEnd> {
  return await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: PROBE_SECONDS });
}

/** Counter of the instructions of one start. */
export interface Counting {
  /** Site with the cores of the service and its load tool. */
  readonly site: Site;
  /** Prefix for the command of a program, by its name. */
  readonly beforeOf: (program: string) => readonly string[];
  /** See SteadyPath. */
  readonly programs: string;
  readonly mode: CountingMode;
  readonly counts: (detail?: CountDetail) => Promise<Counts>;
  readonly remove: () => Promise<void>;
}
