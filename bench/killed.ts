/**
 * Soak of the ends of this program: `npm run soak:killed -- [--runs 500] [--seed 1] [--lanes 1] [--docker]`. Each run is ended at a random
 * instant by the next of INT, TERM, HUP, QUIT, KILL and two signals in turn, while it measures plain processes (one of them a daemon that
 * leaves its process group and its environment), measures a container, or imports runs into a history on a branch. Then `wiregauge clean`
 * starts, and processes, folders, containers, and files that can no longer be read are counted. At the end of a lane each kind of run
 * is completed once, and partly written files are counted. The goal for all of them is 0.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../src/foundation/random.ts';
import { ownerOf } from '../src/host/machine/proc.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '1' },
    docker: { type: 'boolean', default: false },
  },
});

const CLI = resolve('dist/cli.js');
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL', 'two signals'] as const;
const HANGS_MS = 120_000;
const random = seededRandom(Number(values.seed));

/** A service, its child, and a daemon with a session and an empty environment of its own. */
const SERVER = `import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const waits = [process.execPath, ['-e', 'setInterval(() => {}, 1000)', process.argv[2]]];
spawn(...waits, { stdio: 'ignore' });
spawn(...waits, { stdio: 'ignore', detached: true, env: {} }).unref();
spawn('setsid', ['--fork', waits[0], ...waits[1]], { stdio: 'ignore', env: { PATH: process.env.PATH } });
createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"id":1}')).listen(process.env.PORT, process.env.HOST);
`;

const configuration = (folder: string): string => `services:
  shop:
    protocol: rest
    port: 8080
    image: { context: . }
    process: { command: [node, server.mjs, ${JSON.stringify(folder)}] }
operations:
  - { name: Item, rest: { path: /item } }
tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 2 }
`;

const DOCKERFILE = `ARG PYTHON_IMAGE=python:3
FROM $PYTHON_IMAGE
CMD ["python3", "-c", "import http.server, os\\nclass A(http.server.BaseHTTPRequestHandler):\\n    protocol_version = 'HTTP/1.1'\\n    def do_GET(self):\\n        self.send_response(200); self.send_header('content-type', 'application/json'); self.send_header('content-length', '8'); self.end_headers(); self.wfile.write(b'{\\"id\\":1}')\\n    def log_message(self, *_): pass\\nhttp.server.ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), A).serve_forever()"]
`;

/** A repository with its remote, a temporary folder and a lock of its own. */
interface Lane {
  readonly number: number;
  readonly folder: string;
  readonly temporary: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface Work {
  readonly name: string;
  readonly argv: (run: number) => readonly string[];
  /** How long it takes if nothing ends it. */
  readonly milliseconds: number;
}

/** Leftovers found after one run. */
interface Left {
  readonly work: string;
  readonly end: string;
  readonly hung: number;
  /** Before the next start; nothing cleans up after SIGKILL. */
  readonly processesAtOnce: number;
  readonly foldersAtOnce: number;
  readonly processes: number;
  readonly folders: number;
  readonly containers: number;
  readonly damaged: number;
}

const COUNTS = ['hung', 'processesAtOnce', 'foldersAtOnce', 'processes', 'folders', 'containers', 'damaged'] as const;

function openLane(number: number): Lane {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const root = join(folder, 'repository');
  const git = (...argv: readonly string[]) => execFileSync('git', ['-C', root, ...argv], { stdio: 'ignore' });
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'remote.git')]);
  mkdirSync(root);
  writeFileSync(join(root, 'wiregauge.yml'), configuration(folder));
  writeFileSync(join(root, 'server.mjs'), SERVER);
  writeFileSync(join(root, 'Dockerfile'), DOCKERFILE);
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', join(folder, 'remote.git'));
  git('add', 'wiregauge.yml', 'server.mjs', 'Dockerfile');
  git('-c', 'user.name=soak', '-c', 'user.email=soak@example.com', 'commit', '--quiet', '--message=Soak');
  const environment = { ...process.env, TMPDIR: temporary, WIREGAUGE_LOCK: `soak-${process.pid}-${number}` };
  return { number, folder, temporary, environment };
}

const DAY_MS = 86_400_000;

/** Runs of another tool, newer ones each time. */
function writeRuns({ folder }: Lane, run: number): string {
  const benches = [{ name: 'fib', value: 100, range: '1', unit: 'ns/iter' }];
  const runs = Array.from({ length: 200 }, (_, index) => ({
    commit: {
      committer: { username: 'a' },
      id: `${run}a${index}`.padEnd(40, '0'),
      message: 'm',
      url: 'https://x.test/',
    },
    date: Date.UTC(2020, 0, 1) + run * DAY_MS + index * 60_000,
    tool: 'cargo',
    benches,
  }));
  const file = join(folder, 'data.js');
  const data = { lastUpdate: 1, repoUrl: 'https://github.com/o/n', entries: { Rust: runs } };
  writeFileSync(file, `window.BENCHMARK_DATA = ${JSON.stringify(data)}`);
  return file;
}

function worksOf(lane: Lane): readonly Omit<Work, 'milliseconds'>[] {
  const run = (runtime: string) => ({
    name: runtime,
    argv: () => ['run', '--profile', 'smoke', '--mode', 'open', '--no-versus', '--runtime', runtime],
  });
  const history = ['--format', 'github-action-benchmark', '--create-branch'];
  const imports = {
    name: 'import',
    argv: (number: number) => ['history', 'import', writeRuns(lane, number), ...history],
  };
  return [run('process'), imports, run('process'), ...(values.docker ? [run('docker')] : [])];
}

function start(lane: Lane, argv: readonly string[]): ChildProcess {
  const { environment } = lane;
  return spawn(process.execPath, [CLI, ...argv], {
    cwd: join(lane.folder, 'repository'),
    env: environment,
    stdio: 'ignore',
  });
}

/** Completes one run. Throws if it fails, a build of its image included. */
async function timed(lane: Lane, work: Omit<Work, 'milliseconds'>, number = 0): Promise<Work> {
  const began = performance.now();
  const argv = work.argv(number);
  const program = start(lane, argv);
  const [code] = await once(program, 'exit');
  if (code !== 0) {
    throw new Error(`${work.name} ends with ${code} if nothing ends it: ${argv.join(' ')}`);
  }
  return { ...work, milliseconds: performance.now() - began };
}

async function endOne(program: ChildProcess, end: (typeof ENDS)[number]): Promise<boolean> {
  const exited = program.exitCode === null ? once(program, 'exit').then(() => true) : Promise.resolve(true);
  program.kill(end === 'two signals' ? 'SIGINT' : end);
  if (end === 'two signals') {
    await Promise.race([exited, sleep(random() * 1500)]);
    program.kill('SIGTERM');
  }
  const hasExited = await Promise.race([exited, sleep(HANGS_MS, false, { ref: false })]);
  program.kill('SIGKILL');
  return hasExited;
}

/** Of this lane, by their folder or their arguments. */
function processesOf({ folder }: Lane): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) {
      return false;
    }
    try {
      const { stdout } = spawnSync('cat', [`/proc/${name}/cmdline`], { encoding: 'utf8' });
      return stdout.includes(folder) || readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}

function foldersOf({ temporary }: Lane): readonly string[] {
  return readdirSync(temporary);
}

function containersOf(owner: string): readonly string[] {
  if (!values.docker) {
    return [];
  }
  const listed = (...argv: readonly string[]) =>
    execFileSync('docker', [...argv, '--quiet', '--filter', `label=wiregauge.owner=${owner}`], { encoding: 'utf8' });
  const all = [listed('ps', '--all'), listed('network', 'ls'), listed('volume', 'ls')];
  return all
    .join('\n')
    .split('\n')
    .filter((line) => line !== '');
}

/** Files that are there and can no longer be read, and a branch that is damaged. */
function damagedIn(lane: Lane): readonly string[] {
  const { folder, environment } = lane;
  const cwd = join(folder, 'repository');
  const reads = (argv: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...argv], { cwd, env: environment }).status === 0;
  const run = join('out', 'run.json');
  const remote = join(folder, 'remote.git');
  const hasBranch = spawnSync('git', ['-C', remote, 'rev-parse', '--verify', '--quiet', 'gh-pages']).status === 0;
  return [
    ...(existsSync(join(cwd, run)) && !reads(['report', run, '--out', join(folder, 'report')]) ? [run] : []),
    ...(hasBranch && !reads(['history', 'list']) ? ['history'] : []),
    ...(spawnSync('git', ['-C', remote, 'fsck', '--strict']).status === 0 ? [] : ['remote']),
    ...(spawnSync('git', ['-C', cwd, 'status', '--porcelain', '--untracked-files=no'], { encoding: 'utf8' }).stdout ===
    ''
      ? []
      : ['checkout']),
  ];
}

async function play(lane: Lane, work: Work, number: number): Promise<Left> {
  const end = ENDS[number % ENDS.length] ?? 'SIGKILL';
  const program = start(lane, work.argv(number));
  const owner = ownerOf(program.pid ?? 0) ?? '';
  await sleep(random() * work.milliseconds);
  const hasExited = await endOne(program, end);
  const isCounted = end !== 'SIGKILL';
  const atOnce = [isCounted ? processesOf(lane) : [], isCounted ? foldersOf(lane) : []].map(({ length }) => length);
  spawnSync(process.execPath, [CLI, 'clean'], { cwd: lane.folder, env: lane.environment });
  const left = {
    processes: processesOf(lane),
    folders: foldersOf(lane),
    containers: containersOf(owner),
    damaged: damagedIn(lane),
  };
  const counts = Object.fromEntries(Object.entries(left).map(([name, { length }]) => [name, length]));
  const [processesAtOnce = 0, foldersAtOnce = 0] = atOnce;
  const result = { work: work.name, end, hung: hasExited ? 0 : 1, processesAtOnce, foldersAtOnce, ...counts } as Left;
  if (COUNTS.some((name) => result[name] > 0)) {
    console.log(`run ${number}: ${JSON.stringify({ ...result, left })}`);
  }
  for (const pid of left.processes) {
    process.kill(Number(pid), 'SIGKILL');
  }
  for (const name of left.folders) {
    rmSync(join(lane.temporary, name), { recursive: true, force: true });
  }
  return result;
}

/** Files of a program that was killed while it wrote them. */
function partlyWrittenIn({ folder }: Lane): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.part'));
}

const all: Left[] = [];
const partlyWritten: string[] = [];
let next = 0;

async function runLane(number: number): Promise<void> {
  const lane = openLane(number);
  try {
    const works: Work[] = [];
    for (const work of worksOf(lane)) {
      works.push(await timed(lane, work));
    }
    while (next < Number(values.runs)) {
      next += 1;
      const run = next;
      const work = works[Math.floor(run / ENDS.length) % works.length] as Work;
      all.push(await play(lane, work, run));
      if (all.length % 10 === 0) {
        report();
      }
    }
    for (const work of works) {
      await timed(lane, work, Number(values.runs) + number + 1);
    }
    partlyWritten.push(...partlyWrittenIn(lane));
  } finally {
    rmSync(lane.folder, { recursive: true, force: true });
  }
}

function report(): void {
  console.log(`\n${all.length} runs\n${['end', 'runs', ...COUNTS].join('\t')}`);
  for (const end of [...ENDS, 'all']) {
    const of = all.filter((left) => end === 'all' || left.end === end);
    console.log([end, of.length, ...COUNTS.map((name) => of.reduce((sum, left) => sum + left[name], 0))].join('\t'));
  }
}

await Promise.all(Array.from({ length: Number(values.lanes) }, (_, number) => runLane(number)));
report();
console.log(`\n${partlyWritten.length} partly written files${partlyWritten.map((name) => `\n  ${name}`).join('')}`);
process.exitCode = partlyWritten.length > 0 || all.some((left) => COUNTS.some((name) => left[name] > 0)) ? 1 : 0;
