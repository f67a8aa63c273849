/**
 * Compares users who come and go with those of Locust, on the same REST service, in turns, each against a fresh start of it:
 * `npm run bench:locust -- <folder of Locust's programs> [users] [seconds] [pairs]`. Locust is not in this project: install it from its
 * registry, `python3 -m venv v && v/bin/pip install locust==2.47.0`, and give `v/bin`. The service is on core 0, the load on core 1.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/host/machine/ports.ts';
import { type Figures, inTurns } from '../in-turns.ts';

const RAMP_SECONDS = 5;

interface Trial {
  readonly users: number;
  readonly seconds: number;
  readonly port: number;
  readonly folder: string;
}

/** Runs a load against a fresh start of the service. */
async function fresh(users: number, seconds: number, play: (trial: Trial) => Figures): Promise<Figures> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'locust-'));
  const service = spawn('taskset', ['-c', '0', '.venv/bin/python', '-m', 'user_rest'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/health`);
    return play({ users, seconds, port, folder });
  } finally {
    service.kill();
    rmSync(folder, { recursive: true });
  }
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) {
      return;
    }
    if (tries === 100) {
      throw new Error(`no answer at ${url}: is .venv made (uv sync --all-packages)?`);
    }
    await sleep(100);
  }
}

function byWiregauge({ users, seconds, port, folder }: Trial): Figures {
  const stages = `[{ seconds: ${RAMP_SECONDS}, users: ${users} }, { seconds: ${seconds}, users: ${users} }]`;
  const text = `services:
  rest: { protocol: rest, address: "127.0.0.1:${port}" }
operations:
  - { name: GetUser, weight: 3, rest: "GET /user/{id}", arguments: [${[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((id) => `{ id: ${id} }`).join(', ')}] }
  - { name: ListUsers, weight: 1, rest: GET /users }
tiers:
  - { name: users, thinkSeconds: 0.3, stages: ${stages} }
`;
  writeFileSync(join(folder, 'wiregauge.yml'), text);
  execFileSync('node', [resolve('dist/cli.js'), 'run', '--no-versus'], { cwd: folder, stdio: 'ignore' });
  const run = JSON.parse(readFileSync(join(folder, 'out', 'run.json'), 'utf8'));
  const [whole] = run.samples;
  const { achievedRps, latencyMeanMs, latencyP50Ms, latencyP99Ms } = whole.values;
  return { requests: whole.requests, rps: achievedRps, mean: latencyMeanMs, p50: latencyP50Ms, p99: latencyP99Ms };
}

function byLocust(programs: string): (trial: Trial) => Figures {
  return ({ users, seconds, port, folder }) => {
    const load = ['-u', String(users), '-r', String(users / RAMP_SECONDS), '-t', `${RAMP_SECONDS + seconds}s`];
    const files = ['-f', 'bench/locust/users.py', '--csv', join(folder, 'locust')];
    const locust = [join(programs, 'locust'), '--headless', '--host', `http://127.0.0.1:${port}`, ...load, ...files];
    execFileSync('taskset', ['-c', '1', ...locust], { stdio: 'ignore' });
    const [names = '', ...rows] = readFileSync(join(folder, 'locust_stats.csv'), 'utf8').trim().split(/\r?\n/);
    const values = rows.find((row) => row.startsWith(',Aggregated,'))?.split(',') ?? [];
    const at = (name: string) => Number(values[names.split(',').indexOf(name)]);
    return {
      requests: at('Request Count'),
      rps: at('Requests/s'),
      mean: at('Average Response Time'),
      p50: at('50%'),
      p99: at('99%'),
    };
  };
}

const [programs, users = '100', seconds = '20', pairs = '3'] = process.argv.slice(2);
if (programs === undefined) {
  console.error('usage: npm run bench:locust -- <folder of Locust’s programs> [users] [seconds] [pairs]');
  process.exit(2);
}
const byPeer = byLocust(programs);
console.log(`${users} users who think for 0.3 s, ${RAMP_SECONDS} s to come and ${seconds} s to stay; latency in ms`);
await inTurns(['locust', 'wiregauge'], Number(pairs), (name) =>
  fresh(Number(users), Number(seconds), name === 'locust' ? byPeer : byWiregauge),
);
