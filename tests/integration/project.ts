import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SUITE = `name: small
title: A small suite
services: [good]
operations:
  - { name: Get, arguments: [{ id: 1 }], rest: 'GET /item/{id}' }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 2 }
`;

/** A repository of a user's own in a temporary folder, with services whose faults are known. */
export function makeProject(): {
  readonly root: string;
  readonly write: (path: string, text: string) => void;
  readonly remove: () => void;
} {
  const root = mkdtempSync(join(tmpdir(), 'project-'));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('suites/small.yml', SUITE);
  for (const [name, environment] of Object.entries({
    good: {},
    wrong: { FAULT: 'wrong' },
    silent: { FAULT: 'silent' },
    dies: { FAULT: 'dies' },
  })) {
    write(`services/${name}/service.yml`, manifest(name, environment));
  }
  cpSync('tests/fixtures/services/server.mjs', join(root, 'server.mjs'));
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The manifest of a test service with those settings. */
export function manifest(name: string, environment: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    name,
    title: `The ${name} service`,
    protocol: 'rest',
    port: 5000,
    image: { context: '.', dockerfile: 'Dockerfile' },
    process: { command: ['node', 'server.mjs'] },
    environment,
  });
}

/** How a run of the command line ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with all that was printed so far; may send a signal. */
  readonly onOutput?: (output: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the bundled command line to its end. */
export async function wiregauge(argv: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  const child = spawn(process.execPath, [resolve('dist/cli.js'), ...argv], {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    options.onOutput?.(stdout, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, stdout, stderr };
}
