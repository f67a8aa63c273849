import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError, KnownError, messageOf } from '../../foundation/errors.ts';
import { startChild } from '../../host/child.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { readBytes } from '../../host/files/reader.ts';
import { systemClock } from '../../host/machine/clock.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { abortAfter } from '../../host/signals.ts';
import type { Policy } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import { type Service, withPrograms } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import type { Client } from '../../protocols/client.ts';
import type { BuiltEntries, BuiltEntry, BuiltProgram } from '../../runtime/built-program.ts';
import { DRIVER } from '../../runtime/driver/source.ts';
import type { Runtime } from '../../runtime/port.ts';
import { runTrial } from '../trial/runner.ts';
import { sharedOperations } from '../trial/versions.ts';

/** Service whose versions run the same files, and the evidence. */
export type IdenticalService = NonNullable<RoundsRecord['identical']>[number];

export interface BuiltPair {
  readonly suite: Suite;
  readonly versions: Readonly<Record<Side, { readonly runtime: Runtime; readonly files: SuiteFiles }>>;
  readonly policy: Policy;
  readonly client: Client;
  readonly watcher: { readonly folder: string; readonly owner: string };
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Time limit of the check; beyond it, services are measured. */
const MAX_SECONDS = 30;

/** Services whose builds are equal, or which open no file that differs while they start and answer each operation. */
export async function identicalServices(pair: BuiltPair): Promise<readonly IdenticalService[]> {
  const { base, head } = pair.versions;
  if (base.files.configHash !== head.files.configHash) {
    return [];
  }
  using limit = abortAfter(MAX_SECONDS * 1000);
  const signal = AbortSignal.any([pair.signal, limit.signal]);
  const found: IdenticalService[] = [];
  // A budget, which limits the head alone, requires figures of its service.
  const { budgets } = pair.policy;
  for (const name of pair.suite.services.filter((one) => !budgets.some(({ service = one }) => service === one))) {
    const service = await identity({ ...pair, signal }, name).catch((thrown: unknown) => {
      pair.signal.throwIfAborted();
      const why = thrown instanceof KnownError ? thrown.brief : messageOf(thrown);
      pair.log(`${name}: it is not known whether both versions run the same files: ${why}`);
      return undefined;
    });
    found.push(...(service === undefined ? [] : [service]));
  }
  return found;
}

async function identity(pair: BuiltPair, name: string): Promise<IdenticalService | undefined> {
  const services = { base: serviceOf(pair, 'base', name), head: serviceOf(pair, 'head', name) };
  const different = await differentPrograms(pair, services);
  if (different === undefined) {
    return undefined;
  }
  const changed = different.flatMap(({ base, head }) => [...base.paths, ...head.paths]);
  if (changed.length === 0) {
    return { service: name };
  }
  const { operations } = suiteFor(pair.suite, name);
  const isShared = different.some(({ base }) => services.base.needs?.some((need) => need.name === base.program.name));
  if (isShared || operations.some(({ verify }) => verify === 'none')) {
    return undefined;
  }
  for (const side of ['base', 'head'] as const) {
    const files = different.map((one) => one[side]);
    const [opened] = await openedBy(pair, side, services[side], files);
    if (opened !== undefined) {
      pair.log(`${name}: ${side} opens ${opened}, which differs between the versions`);
      return undefined;
    }
  }
  return { service: name, unopened: [...new Set(changed)].sort() };
}

function serviceOf({ versions }: BuiltPair, side: Side, name: string): Service {
  const service = versions[side].files.services.get(name);
  if (service === undefined) {
    throw new RangeError(`${side} has no service ${name}`);
  }
  return service;
}

/** Undefined if anything besides files differs. */
async function differentPrograms(
  { versions, signal }: BuiltPair,
  services: Readonly<Record<Side, Service>>,
): Promise<readonly DifferentProgram[] | undefined> {
  const base = await versions.base.runtime.built(services.base);
  const head = await versions.head.runtime.built(services.head);
  const different: DifferentProgram[] = [];
  if (base.length === 0) {
    return undefined;
  }
  for (const [place, program] of base.entries()) {
    const other = head[place];
    const isShared = program.folder !== undefined && program.folder === other?.folder;
    if (other === undefined || isShared || base.length !== head.length || program.name !== other.name) {
      return undefined;
    }
    if (program.id === undefined || program.id !== other.id) {
      const files = differencesOf(...(await Promise.all([program.entries(signal), other.entries(signal)])));
      if (files === undefined) {
        return undefined;
      }
      different.push({ base: { program, paths: files.base }, head: { program: other, paths: files.head } });
    }
  }
  return different;
}

interface ChangedFiles {
  readonly program: BuiltProgram;
  readonly paths: readonly string[];
}

type DifferentProgram = Readonly<Record<Side, ChangedFiles>>;

async function openedBy(
  pair: BuiltPair,
  side: Side,
  service: Service,
  files: readonly ChangedFiles[],
): Promise<readonly string[]> {
  const { client, signal, watcher, suite, versions } = pair;
  const { runtime, files: version } = versions[side];
  const names: string[] = [];
  const paths: string[] = [];
  let requested = service;
  for (const { program, paths: own } of files.filter((one) => one.paths.length > 0)) {
    const watchable = await program.watchable(own, signal);
    names.push(...own);
    paths.push(...watchable.paths);
    requested = withMounts(requested, program.name, watchable.mounts);
  }
  await using watch = await watchOpens(watcher, paths);
  const operations = sharedOperations(suiteFor(version.suite, service.name), suiteFor(suite, service.name));
  const over = new AbortController();
  const trial = runTrial(
    { client, clock: systemClock, signal: AbortSignal.any([signal, over.signal]) },
    {
      subjects: [{ side, service: requested, runtime, operations }],
      // Responses are not compared: whether they are equal follows from the files.
      verify: () => undefined,
      use: async () => undefined,
    },
  );
  try {
    await Promise.race([trial, watch.someOpened(over.signal)]);
  } finally {
    over.abort();
    // After the first opened file the trial is ended early.
    await Promise.allSettled([trial]);
  }
  return (await watch.opened()).map((place) => names[place] ?? '');
}

function withMounts(service: Service, program: string, mounts: Service['files']): Service {
  if (mounts === undefined) {
    return service;
  }
  return withPrograms(service, (one) => (one.name === program ? { ...one, files: { ...one.files, ...mounts } } : one));
}

/** More changed files are not watched. */
const MAX_FILES = 500;

/** Files that differ between two builds; undefined if anything else differs, or too much. */
export function differencesOf(
  base: BuiltEntries,
  head: BuiltEntries,
): Readonly<Record<Side, readonly string[]>> | undefined {
  const isSame = (one: BuiltEntry | undefined, other: BuiltEntry | undefined) =>
    one?.kind === other?.kind && one?.text === other?.text;
  const paths = [...new Set([...base.keys(), ...head.keys()])].filter(
    (path) => !isSame(base.get(path), head.get(path)),
  );
  const canBeUnseen = (path: string): boolean => {
    const isOfOne = !base.has(path) || !head.has(path);
    const kinds = [base, head].map((entries) => entries.get(path)?.kind ?? 'file');
    return kinds.every((kind) => kind === 'file' || (isOfOne && kind === 'folder'));
  };
  if (!paths.every(canBeUnseen)) {
    return undefined;
  }
  const filesOf = (entries: BuiltEntries) => paths.filter((path) => entries.get(path)?.kind === 'file').sort();
  const found = { base: filesOf(base), head: filesOf(head) };
  return Math.max(found.base.length, found.head.length) > MAX_FILES ? undefined : found;
}

interface OpensWatch extends AsyncDisposable {
  /** Settles once one of them was opened, or on abort. */
  someOpened(signal: AbortSignal): Promise<void>;
  /** Indexes of the files that any process of this machine has opened so far. Throws EnvironmentError if the kernel did not report them. */
  opened(): Promise<readonly number[]>;
}

const READY = 'watching';

const POLL_MS = 10;

/** Limit for a busy machine; usually it takes some milliseconds. */
const ANSWER_MS = 10_000;

async function watchOpens({ folder, owner }: BuiltPair['watcher'], paths: readonly string[]): Promise<OpensWatch> {
  const scratch = await ownedFolder(owner);
  // The kernel keeps the order, so this file is opened after all others.
  const last = join(scratch, 'last');
  const list = join(scratch, 'list');
  await writeFile(last, '');
  await writeFile(list, [...paths, last].map((path) => `${path}\0`).join(''));
  const environment = { PATH: process.env['PATH'], [OWNER_VARIABLE]: owner };
  const child = await startChild({ argv: [join(folder, DRIVER), 'watch', list], cwd: '/', environment });
  let isOver = false;
  void child.ended.then(() => (isOver = true));
  const lines = (): readonly string[] => child.lastLines(paths.length + 2).split('\n');
  const until = async (line: string): Promise<void> => {
    for (let waitedMs = 0; !lines().includes(line); waitedMs += POLL_MS) {
      if (isOver || waitedMs > ANSWER_MS) {
        throw new EnvironmentError(`opened files cannot be watched: ${lines().at(-1) ?? ''}`, { code: 'WG-203' });
      }
      await sleep(POLL_MS);
    }
  };
  const places = (): readonly number[] =>
    lines()
      .filter((line) => /^\d+$/.test(line))
      .map(Number)
      .filter((place) => place < paths.length);
  const watch: OpensWatch = {
    async someOpened(signal) {
      while (!signal.aborted && places().length === 0) {
        await sleep(POLL_MS);
      }
    },
    async opened() {
      readBytes(last);
      await until(String(paths.length));
      return places();
    },
    async [Symbol.asyncDispose]() {
      await child.stop(0);
      await rm(scratch, { recursive: true, force: true });
    },
  };
  try {
    await until(READY);
    return watch;
  } catch (thrown) {
    await watch[Symbol.asyncDispose]();
    throw thrown;
  }
}
