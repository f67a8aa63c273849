import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent as PlainAgent, get as plainGet } from 'node:http';
import { Agent, get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadTools } from '../../src/measure/session/runtime.ts';
import type { Language, Variant } from './kind.ts';

const ROOT = process.cwd();

const SERVICES = join(ROOT, 'bench/kinds/services');

/** The program, which `go.mod` of `tools/load` pins for this bench. */
const VEGETA = 'github.com/tsenart/vegeta/v12';

/** Parts that all measurements share: the built service, a certificate, the load driver, vegeta. */
export interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly vegeta: string;
  readonly driver: string;
}

/** Builds what is started. */
export async function openScene(): Promise<Scene> {
  const request = { log: console.error, signal: new AbortController().signal };
  const tools = await loadTools(request, false);
  const folder = mkdtempSync(join(tmpdir(), 'bench-kinds-'));
  execFileSync('go', ['build', '-o', join(folder, 'service'), '.'], { cwd: SERVICES, stdio: 'inherit' });
  const vegeta = join(folder, 'vegeta');
  execFileSync('go', ['build', '-o', vegeta, VEGETA], { cwd: join(ROOT, 'tools/load'), stdio: 'inherit' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem'];
  const certificate = ['-subj', '/CN=kinds.test', '-out', 'certificate.pem'];
  execFileSync('openssl', ['req', '-x509', ...key, ...certificate], { cwd: folder, stdio: 'ignore' });
  return {
    folder,
    vegeta,
    driver: join(tools.folder, 'wiregauge-load'),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How a service is started. */
export interface Starting {
  readonly language: Language;
  readonly variant: Variant;
  readonly core: number;
  /** Prefix of its command. */
  readonly before?: readonly string[];
}

/** A service that answers. */
export interface StartedService extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Sends requests one after the other over one connection. */
  readonly ask: (requests: number) => Promise<void>;
}

/** Starts a service on a core, and waits until it answers. */
export async function startService(scene: Scene, starting: Starting): Promise<StartedService> {
  const { language, variant, core, before = [] } = starting;
  const port = await freePort();
  const command = { python: [join(ROOT, '.venv/bin/python'), 'service.py'], go: [join(scene.folder, 'service')] };
  const environment = {
    ...process.env,
    ...{ HOST: '127.0.0.1', PORT: `${port}`, KIND: variant, PYTHONHASHSEED: '0', GODEBUG: 'asyncpreemptoff=1' },
    ...{ CERTIFICATE: join(scene.folder, 'certificate.pem'), KEY: join(scene.folder, 'key.pem') },
  };
  const child = spawn('taskset', ['-c', `${core}`, ...before, ...command[language]], {
    ...{ cwd: SERVICES, env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  });
  const url = `${variant === 'tls' ? 'https' : 'http'}://127.0.0.1:${port}/users`;
  const ask = request(url);
  await untilAnswered(ask, child);
  return { pid: child.pid ?? 0, url, environment, ask, [Symbol.asyncDispose]: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function request(url: string): (requests: number) => Promise<void> {
  const options = { keepAlive: true, maxSockets: 1 };
  const one = url.startsWith('https')
    ? get.bind(undefined, url, { agent: new Agent({ ...options, rejectUnauthorized: false }) })
    : plainGet.bind(undefined, url, { agent: new PlainAgent(options) });
  return async (requests) => {
    for (let request = 0; request < requests; request += 1) {
      await new Promise((resolve, reject) => {
        one((answer) => answer.resume().on('end', resolve).on('error', reject)).on('error', reject);
      });
    }
  };
}

const READY_SECONDS = 120;

async function untilAnswered(ask: StartedService['ask'], child: ChildProcess): Promise<void> {
  const endMs = performance.now() + READY_SECONDS * 1000;
  while (performance.now() < endMs && child.exitCode === null) {
    try {
      return await ask(1);
    } catch {
      await sleep(50);
    }
  }
  child.kill();
  throw new Error('the service does not answer');
}
