import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { EnvironmentError, ifPossible } from '../../foundation/errors.ts';
import { readProc } from '../files/reader.ts';
import { allProcesses, processTree } from './proc.ts';
import { parseListeners } from './proc-files.ts';

/** Proxies that forward connections to containers, whose CPU time is not included in theirs. */
const PROXIES: readonly string[] = ['docker-proxy', 'rootlesskit', 'slirp4netns', 'gvproxy', 'pasta'];

/** Programs that listen on a local port, without their children; empty if none is visible. */
export function listenersOn(port: number): readonly number[] {
  const inodes = new Set(
    allListeners()
      .filter((one) => one.port === port)
      .map(({ inode }) => inode),
  );
  const isSocket = (file: string) => inodes.has(/^socket:\[(\d+)\]$/.exec(file)?.[1] ?? '');
  const holders = inodes.size === 0 ? [] : allProcesses().filter(({ pid }) => openFilesOf(pid).some(isSocket));
  if (holders.some(({ name }) => PROXIES.includes(name))) {
    return [];
  }
  // Workers that inherited the socket have their parent among the holders.
  const pids = holders.map(({ pid }) => pid);
  return holders.filter(({ parent }) => !pids.includes(parent)).map(({ pid }) => pid);
}

/** Ports that a process and its children listen on in its network. */
export function portsOf(pid: number): readonly number[] {
  const files = new Set(processTree(pid).flatMap((one) => openFilesOf(one.pid)));
  const listeners = allListeners(pid).filter(({ inode }) => files.has(`socket:[${inode}]`));
  return [...new Set(listeners.map(({ port }) => port))];
}

/** True if any program listens on a port in the network namespace of a process; false if unreadable. */
export function isListening(pid: number, port: number): boolean {
  return allListeners(pid).some((one) => one.port === port);
}

function allListeners(pid: number | 'self' = 'self'): ReturnType<typeof parseListeners> {
  return ['tcp', 'tcp6'].flatMap((file) => parseListeners(readProc(`/proc/${pid}/net/${file}`) ?? ''));
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const descriptors = ifPossible(() => readdirSync(folder)) ?? [];
  // One may be closed since the folder was listed.
  return descriptors.flatMap((descriptor) => ifPossible(() => readlinkSync(`${folder}/${descriptor}`)) ?? []);
}

// Below Linux's range of ports of outgoing connections, so that no client socket occupies the port of a service.
const LOWEST = 10_000;

const HIGHEST = 32_767;

/** `fetch` blocks this port, the only one in this range: https://fetch.spec.whatwg.org/#port-blocking */
const REFUSED_BY_FETCH = 10_080;

const ATTEMPTS = 200;

/** Ports that were returned last: programs may take seconds to listen. */
const given: number[] = [];

const REMEMBERED = 100;

/** Free port of 127.0.0.1, from 10,000 to 32,767; throws EnvironmentError if none is found. */
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

export async function ownPort(port: number): Promise<number> {
  if (!(await isFree(port))) {
    throw new EnvironmentError(`port ${port} on 127.0.0.1 is in use, but a program needs it (process.port)`, {
      code: 'WG-206',
      next: 'Stop the program that listens there (`ss -ltnp` lists it), or remove process.port: make the service read PORT or, for a need, take its address from ${needs.<name>.port}.',
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
