import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { EnvironmentError } from '../../foundation/errors.ts';
import { readProc } from '../files/reader.ts';
import { allProcesses, processTree } from './proc.ts';
import { type ProcessStat, parseListeners } from './proc-files.ts';

/** It hands connections on to a container, whose time is not in its own. */
const PROXIES: readonly string[] = ['docker-proxy', 'rootlesskit', 'slirp4netns', 'gvproxy', 'pasta'];

/**
 * Process ids of the programs of this network that listen on a local port, without those that another of them has started. Empty
 * if none can be seen: it is another user's, or listens on behalf of a container.
 */
export function listenersOn(port: number): readonly number[] {
  const inodes = new Set(
    allListeners()
      .filter((one) => one.port === port)
      .map(({ inode }) => inode),
  );
  const holders = inodes.size === 0 ? [] : allProcesses().filter(({ pid }) => holdsSocket(pid, inodes));
  return holders.some(({ name }) => PROXIES.includes(name)) ? [] : rootsOf(holders).map(({ pid }) => pid);
}

/** The ports of this network that a process and its descendants listen on. */
export function portsOf(pid: number): readonly number[] {
  const files = new Set(processTree(pid).flatMap((one) => openFilesOf(one.pid)));
  const held = allListeners().filter(({ inode }) => files.has(`socket:[${inode}]`));
  return [...new Set(held.map(({ port }) => port))];
}

/** Whether anything listens on a port of the network that a process is in; false also if that cannot be read. */
export function isListening(pid: number, port: number): boolean {
  return allListeners(pid).some((one) => one.port === port);
}

function allListeners(pid: number | 'self' = 'self'): ReturnType<typeof parseListeners> {
  return ['tcp', 'tcp6'].flatMap((file) => parseListeners(readProc(`/proc/${pid}/net/${file}`) ?? ''));
}

/** Workers that inherited the socket are their parent's. */
function rootsOf(holders: readonly ProcessStat[]): readonly ProcessStat[] {
  const pids = new Set(holders.map(({ pid }) => pid));
  return holders.filter(({ parent }) => !pids.has(parent));
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  return openFilesOf(pid).some((file) => inodes.has(/^socket:\[(\d+)\]$/.exec(file)?.[1] ?? ''));
}

/** What the file descriptors of a process lead to; none if that is hidden. */
function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((descriptor) => linkOf(`${folder}/${descriptor}`));
  } catch {
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    // Closed since it was listed.
    return [];
  }
}

// Below the range that Linux takes the ports of outgoing connections from, so that a client's socket never holds a service's port.
const LOWEST = 10_000;

const HIGHEST = 32_767;

/** `fetch` asks nobody there: https://fetch.spec.whatwg.org/#port-blocking has no other in this range. */
const REFUSED_BY_FETCH = 10_080;

const ATTEMPTS = 200;

/** Those given last: two programs may be started at once, and take seconds to listen. */
const given: number[] = [];

const REMEMBERED = 100;

/** A port of 127.0.0.1 that nobody listens on, from 10,000 to 32,767; throws EnvironmentError if none is found. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (port !== REFUSED_BY_FETCH && !given.includes(port) && (await isFree(port))) {
      given.push(port);
      given.splice(0, given.length - REMEMBERED);
      return port;
    }
  }
  throw new EnvironmentError(`no free port on 127.0.0.1 between ${LOWEST} and ${HIGHEST}`, {
    code: 'WG-206',
    next: 'Stop programs that listen there; `ss -tln` lists them.',
  });
}

/** The port that a program listens on whatever it is told; throws EnvironmentError if something else has it. */
export async function ownPort(port: number): Promise<number> {
  if (!(await isFree(port))) {
    throw new EnvironmentError(`port ${port} on 127.0.0.1 is in use, but the service needs it (process.port)`, {
      code: 'WG-206',
      next: 'Stop the program that listens there (`ss -ltnp` lists it), or make the service read PORT and remove process.port.',
    });
  }
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
