/**
 * Whether the CPU time of the members of a service is what the machine counts: `npm run bench:members -- [--suite layers] [--services NAMES]
 * [--runtime process] [--seconds 10]` loads services in both runtimes, and prints what their members used beside what the kernel
 * counted for the core that they are kept to, from which the engine's proxy of a port is kept away (needs root). The goal is 5%. It is for a quiet machine: whatever else runs on that core, and its interrupts, is
 * counted there, too.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readProc } from '../../src/host/files/reader.ts';
import { chooseCores, keepToLoadCore } from '../../src/host/machine/machine.ts';
import { ticksPerSecond } from '../../src/host/machine/proc.ts';
import { openRuntime, type RuntimeChoice } from '../../src/measure/session/runtime.ts';
import type { Service } from '../../src/model/service.ts';
import type { Operation } from '../../src/model/suite/suite.ts';
import { OWN_ROOT } from '../../src/project/own-root.ts';
import { readSuite } from '../../src/project/suite.ts';
import { PROTOCOLS } from '../../src/protocols/protocols.ts';

const CONNECTIONS = 32;
const WARMUP_SECONDS = 2;
const MAX_OFF = 0.05;

const { values } = parseArgs({
  options: {
    suite: { type: 'string', default: 'layers' },
    services: { type: 'string' },
    runtime: { type: 'string', multiple: true, default: ['process', 'docker'] },
    seconds: { type: 'string', default: '10' },
  },
});
const { suite, services } = readSuite(OWN_ROOT, values.suite);
const [operation] = suite.operations;
const chosen = (values.services?.split(',') ?? suite.services).flatMap((name) => services.get(name) ?? []);
const cores = chooseCores();
// Runtimes take the cores that this program may use, so they are opened before it keeps to one of them.
const opened: { readonly choice: RuntimeChoice; readonly runtime: Runtime }[] = [];
let isWithin = true;
try {
  for (const choice of values.runtime as RuntimeChoice[]) {
    const signal = new AbortController().signal;
    const request = { choice, root: OWN_ROOT, services: chosen, signal, log: console.error };
    opened.push({ choice, runtime: (await openRuntime(request)).runtime });
  }
  await keepToLoadCore({ serviceCore: cores.service, loadCore: cores.load }, console.error);
  console.log(['runtime', 'service', 'members', 'their sum', 'the whole', 'the core', 'sum / core'].join('\t'));
  for (const { choice, runtime } of opened) {
    for (const service of chosen) {
      await using running = await runtime.start(service);
      const used = await usedBy(running, service);
      const off = used.sum / used.core - 1;
      isWithin &&= Math.abs(off) <= MAX_OFF;
      const figures = [used.sum, used.whole, used.core].map((seconds) => `${seconds.toFixed(2)} s`);
      console.log([choice, service.name, used.members, ...figures, `${(100 * off).toFixed(1)}%`].join('\t'));
    }
  }
} finally {
  for (const { runtime } of opened) {
    await runtime[Symbol.asyncDispose]();
  }
}
console.log(isWithin ? 'all within 5%' : 'NOT all within 5%');

type Runtime = Awaited<ReturnType<typeof openRuntime>>['runtime'];

type Running = Awaited<ReturnType<Runtime['start']>>;

async function usedBy(running: Running, service: Service) {
  const path = pathOf(operation, service, running.address);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const url = `http://${running.address}${path}`;
  for (let tries = 0; tries < 200 && !(await isAnswered(url, agent)); tries += 1) {
    await sleep(100);
  }
  keepProxiesOff(running.address);
  await loaded(url, agent, WARMUP_SECONDS);
  const before = await countersOf(running);
  await loaded(url, agent, Number(values.seconds));
  const after = await countersOf(running);
  agent.destroy();
  return {
    members: Object.keys(after.members).length,
    sum: after.sum - before.sum,
    whole: after.whole - before.whole,
    core: after.core - before.core,
  };
}

async function countersOf(running: Running) {
  const { members = {}, service } = await running.reading();
  const sum = Object.values(members).reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
  return { members, sum, whole: service.cpuSeconds ?? 0, core: coreSeconds(cores.service) };
}

/** CPU time of one core that was not idle: user, nice, system, irq, softirq. Source: proc_stat(5). */
function coreSeconds(core: number): number {
  const line = new RegExp(`^cpu${core} (.*)$`, 'm').exec(readProc('/proc/stat') ?? '')?.[1] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(' ').map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond();
}

/**
 * Load tools of a run join the network of a container; this bench asks at its port, and the engine's proxy of that port copies every byte
 * on whatever core is free.
 */
function keepProxiesOff(address: string): void {
  const port = address.split(':').at(-1) ?? '';
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isProxyOf(name, port));
  for (const pid of pids) {
    execFileSync('taskset', ['-a', '-c', '-p', String(cores.load), pid]);
  }
}

function isProxyOf(pid: string, port: string): boolean {
  try {
    const [program = '', ...argv] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return program.endsWith('docker-proxy') && argv[argv.indexOf('-host-port') + 1] === port;
  } catch {
    // It ended meanwhile.
    return false;
  }
}

function pathOf(requested: Operation | undefined, service: Service, address: string): string {
  const [request] =
    requested === undefined ? [] : PROTOCOLS[service.protocol].target(requested, service, address).requests;
  return request?.call.split(' ')[1] ?? '/';
}

async function loaded(url: string, agent: Agent, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      await isAnswered(url, agent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

function isAnswered(url: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    }).once('error', () => resolve(false));
  });
}
