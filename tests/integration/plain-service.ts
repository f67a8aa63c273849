import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { allProcesses, ownerOf } from '../../src/host/machine/proc.ts';
import type { BlockLoad, OpenLoad } from '../../src/model/load.ts';
import type { Service } from '../../src/model/service.ts';
import type { RunningService, RuntimeOptions } from '../../src/runtime/port.ts';
import { realLoadTools } from './load-tools.ts';

/** A folder with a repository made for one test, and the options of a runtime there. */
export interface Bench {
  readonly root: string;
  readonly lines: string[];
  readonly options: RuntimeOptions;
  remove(): void;
}

const TOOLS = await realLoadTools();

/** Options of a runtime in a folder, owned by this program. */
export function optionsOf(root: string): RuntimeOptions {
  return {
    root,
    tools: TOOLS,
    limits: { cpus: 1, memoryMiB: 512 },
    owner: ownerOf(process.pid) ?? '',
    cores: { service: 0, load: 1 },
    reason: 'asked for',
    log: () => undefined,
  };
}

export function makeBench(changes: Partial<RuntimeOptions> = {}): Bench {
  const root = mkdtempSync(join(tmpdir(), 'plain-service-'));
  const lines: string[] = [];
  return {
    root,
    lines,
    options: { ...optionsOf(root), log: (line) => lines.push(line), ...changes },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A bench for each test of a file; after each, nothing that was started in it may be left. */
export function benchPerTest(): Omit<Bench, 'remove'> & { renew(changes: Partial<RuntimeOptions>): void } {
  let bench: Bench;
  beforeEach(() => {
    bench = makeBench();
  });
  afterEach(() => {
    const { owner } = bench.options;
    const left = [marked(owner), ownedFolders(owner)];
    bench.remove();
    expect(left).toEqual([[], []]);
  });
  return {
    get root() {
      return bench.root;
    },
    get lines() {
      return bench.lines;
    },
    get options() {
      return bench.options;
    },
    renew(changes) {
      bench.remove();
      bench = makeBench(changes);
    },
  };
}

/** A service that runs a Python text; HTTP unless it says otherwise. */
export function pythonService(source: string, changes: Partial<Service> = {}): Service {
  return {
    name: 'plain',
    title: 'Plain',
    protocol: 'rest',
    image: { context: '.', dockerfile: 'Dockerfile', target: undefined },
    process: { build: [], command: ['python3', '-c', source] },
    port: 5000,
    environment: {},
    proto: undefined,
    ...changes,
  };
}

/** Python: answers every GET with the JSON of its environment. */
export const HTTP_SERVER = `
import http.server, json, os
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        body = json.dumps(dict(os.environ)).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Answer).serve_forever()
`;

import { readProc } from '../../src/host/files/reader.ts';

/** A load of a running service over HTTP, of one second at a rate of 20. */
export function httpLoad(
  { loadAddress }: Pick<RunningService, 'loadAddress'>,
  changes: Partial<OpenLoad> = {},
): BlockLoad {
  const target = { address: loadAddress, requests: [{ call: 'GET /', body: undefined }] };
  return {
    tool: 'vegeta',
    load: { kind: 'open', target, ratePerSecond: 20, seconds: 1, workers: 4, timeoutSeconds: 5, ...changes },
  };
}

/** Pids of running processes that carry an owner's mark. */
export function marked(owner: string): readonly number[] {
  return allProcesses()
    .filter(({ state, pid }) => state !== 'Z' && pid !== process.pid)
    .map(({ pid }) => pid)
    .filter((pid) => readProc(`/proc/${pid}/environ`)?.split('\0').includes(`WIREGAUGE_OWNER=${owner}`));
}

/** Temporary folders that carry an owner's mark. */
export function ownedFolders(owner: string): readonly string[] {
  return readdirSync(tmpdir()).filter(
    (name) => name.startsWith('wiregauge-') && name.includes(`-${owner.replace(':', '-')}-`),
  );
}

/** What a service of HTTP_SERVER answers, as soon as it does. */
export async function answer({ address }: RunningService): Promise<Record<string, string>> {
  const ask = async () => Object.entries<string>(Object(await (await fetch(`http://${address}/`)).json()));
  await expect.poll(ask, { timeout: 20_000 }).toBeTypeOf('object');
  return Object.fromEntries(await ask());
}

/** Waits until a service has printed a text. */
export async function printed(running: RunningService, text: string): Promise<void> {
  await expect.poll(() => running.logs(), { timeout: 20_000 }).toContain(text);
}

/**
 * Another program that starts a service and the driver in a root and then waits; gives it and its owner's mark. It is noted in `programs`,
 * for the test to kill. `prefix` is what starts it.
 */
export async function startRun(root: string, programs: ChildProcess[], prefix: readonly string[] = []) {
  const file = join(import.meta.dirname, 'killed-run.ts');
  const [first = '', ...rest] = [...prefix, process.execPath, '--import', 'tsx', file, root];
  const program = spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  programs.push(program);
  let text = '';
  for (const stream of [program.stdout, program.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  await expect.poll(() => text, { timeout: 20_000 }).toMatch(/^\d+:\d+\n$/);
  const owner = text.trim();
  await expect.poll(() => marked(owner).length, { timeout: 20_000 }).toBe(2);
  return { program, owner };
}
