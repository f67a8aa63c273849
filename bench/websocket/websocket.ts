/**
 * Compares messages over WebSockets with those of k6, at one rate on the same service, in turns, each against a fresh start of it; and stops
 * the service for a second while Wiregauge loads it, which the latencies of the answers have to show in full:
 * `npm run bench:websocket -- <k6> [messages per second] [pairs]`. k6 is not in this project: `go install go.k6.io/k6@v1.8.1`.
 * The service is on core 0, the load on core 1.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/host/machine/ports.ts';
import { type Figures, inTurns, printFigures } from '../in-turns.ts';

/** As long as a tier of the profile `standard` is measured. */
const SECONDS = 10;

interface Trial {
  readonly rate: number;
  readonly address: string;
  readonly folder: string;
  /** Sends a signal to the service. */
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Runs a load against a fresh start of the service. */
async function fresh<T>(rate: number, play: (trial: Trial) => T | Promise<T>): Promise<T> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'websocket-'));
  const service = spawn('taskset', ['-c', '0', 'node', 'bench/websocket/service.mjs'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'inherit',
  });
  try {
    await untilReady(port);
    const signal = (name: NodeJS.Signals) => void service.kill(name);
    return await play({ rate, address: `127.0.0.1:${port}`, folder, signal });
  } finally {
    service.kill();
    rmSync(folder, { recursive: true });
  }
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const isReady = await new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true));
      socket.once('error', () => done(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isReady) {
      return;
    }
    if (tries === 100) {
      throw new Error(`bench/websocket/service.mjs does not listen at port ${port}`);
    }
    await sleep(100);
  }
}

/** `onMeasuring` is called when the log says that measuring begins. */
async function byWiregauge({ rate, address, folder }: Trial, onMeasuring?: () => void): Promise<Figures> {
  const text = `services:
  items: { protocol: websocket, address: "${address}" }
operations:
  - { name: GetItem, websocket: { path: /rpc, message: { method: getItem }, correlation: id, answer: result } }
tiers:
  - { name: paced, requestsPerSecond: ${rate}, inFlight: ${2 * rate} }
`;
  writeFileSync(join(folder, 'wiregauge.yml'), text);
  const argv = [resolve('dist/cli.js'), 'run', '--no-versus', '--mode', 'open'];
  const program = spawn('node', argv, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let isReported = false;
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
    if (!isReported && said.includes(': measuring')) {
      isReported = true;
      onMeasuring?.();
    }
  };
  program.stdout.on('data', hear);
  program.stderr.on('data', hear);
  const code = await new Promise((done) => program.once('close', done));
  if (code !== 0) {
    throw new Error(`wiregauge run ended with ${code}:\n${said}`);
  }
  const run = JSON.parse(readFileSync(join(folder, 'out', 'run.json'), 'utf8'));
  const [whole] = run.samples;
  const { achievedRps, latencyMeanMs, latencyP50Ms, latencyP99Ms } = whole.values;
  return {
    requests: whole.requests,
    rps: achievedRps,
    mean: latencyMeanMs,
    p50: latencyP50Ms,
    p99: latencyP99Ms,
  };
}

function byK6(k6: string): (trial: Trial) => Figures {
  return ({ rate, address }) => {
    const names = { ADDRESS: address, RATE: String(rate), SECONDS: String(SECONDS) };
    const given = Object.entries(names).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const text = execFileSync('taskset', ['-c', '1', k6, 'run', '-q', ...given, 'bench/websocket/k6.js'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { count, avg, med, 'p(99)': p99 } = JSON.parse(text);
    return { requests: count, rps: count / SECONDS, mean: avg, p50: med, p99 };
  };
}

/** Stops the service for a second, three seconds after measuring began. */
function frozen(trial: Trial): Promise<Figures> {
  return byWiregauge(trial, () => {
    setTimeout(() => trial.signal('SIGSTOP'), 3000);
    setTimeout(() => trial.signal('SIGCONT'), 4000);
  });
}

const [k6, rate = '200', pairs = '3'] = process.argv.slice(2);
if (k6 === undefined) {
  console.error('usage: npm run bench:websocket -- <k6> [messages per second] [pairs]');
  process.exit(2);
}
const byPeer = byK6(k6);
console.log(`${rate} messages a second for ${SECONDS} s; latency in ms`);
await inTurns(['k6', 'wiregauge'], Number(pairs), (name) =>
  fresh(Number(rate), name === 'k6' ? byPeer : (trial) => byWiregauge(trial)),
);
// Of messages at an even pace, those of the stopped second wait between one second and nothing.
const share = 1 / SECONDS;
console.log(`\nstopped for a second: ${(100 * share).toFixed(0)}% of the messages wait for it`);
console.log(
  `the truth  mean ${500 * share} more  p50 as it is  p99 ${(1000 * (1 - 0.01 / share)).toFixed(0)}, and an answer`,
);
printFigures('wiregauge', await fresh(Number(rate), frozen));
