/**
 * Verdicts of live comparisons by counts, and their time, next to any other load of this machine: both services of suite `users` against
 * a version without a change, with a little over 1% more work in REST and with as much more in gRPC, in turns.
 *
 *   npm run build && npm run bench:live-counts -- [--comparisons 8] [--services rest] [--turns unchanged,rest] [--keep build/live-counts.jsonl]
 *
 * It needs Valgrind, git, and `scripts/uv`. What was compared is added to the file, and the summary is of all of it.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatChange } from '../../src/foundation/numbers.ts';
import { median } from '../../src/foundation/statistics.ts';
import { countedFindings } from '../../src/judge/counts/counted.ts';
import { ALL_OPERATIONS } from '../../src/model/metric.ts';
import { parseRun, type RunInRounds } from '../../src/model/run/run.ts';

const { values } = parseArgs({
  options: {
    comparisons: { type: 'string', default: '8' },
    keep: { type: 'string', default: 'build/live-counts.jsonl' },
    services: { type: 'string', default: 'rest,grpc' },
    // Of twelve figures two have a change.
    turns: { type: 'string', default: 'unchanged,rest,unchanged,unchanged,grpc,unchanged' },
  },
});

/** Verdict of a comparison on a service. */
interface Kept {
  readonly branch: string;
  readonly service: string;
  readonly verdict: string;
  readonly change: { readonly estimate: number; readonly low?: number | undefined; readonly high?: number | undefined };
  readonly starts: number;
  /** Of the whole comparison. */
  readonly seconds: number;
  /** Programs that needed a core when it ended, of the last minute. */
  readonly load: number;
}

interface Edit {
  readonly file: string;
  readonly before: string;
  /** Its prefix then, on a line of its own. */
  readonly added: string;
}

const GRPC = 'services/users/python-grpc/src/user_grpc/servicer.py';

const REST = 'services/users/python-rest/src/user_rest/app.py';

/** Some 85 instructions for each number of a sum. */
const BRANCHES: Readonly<Record<string, readonly Edit[]>> = {
  unchanged: [],
  rest: [
    { file: REST, before: '        user_id = parse_id(written_id)\n', added: '        sum(range(150))\n' },
    { file: REST, before: '        return jsonify(users=users.everyone())\n', added: '        sum(range(150))\n' },
  ],
  grpc: [
    { file: GRPC, before: '        user = self.users.get(request.id)\n', added: '        sum(range(42))\n' },
    {
      file: GRPC,
      before: '        return user_pb2.ListUsersResponse(users=self.users.everyone())\n',
      added: '        sum(range(42))\n',
    },
  ],
};

const TURNS = values.turns.split(',');

const SERVICES = values.services.split(',');

const ROOT = process.cwd();
const file = resolve(values.keep);
const folder = mkdtempSync(join(tmpdir(), 'bench-live-counts-'));
try {
  const history = makeHistory();
  const before = keptComparisons();
  for (let number = 0; number < Number(values.comparisons); number += 1) {
    for (const one of compared(history, TURNS[(before + number) % TURNS.length] ?? 'unchanged')) {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify(one)}\n`);
      console.log(lineOf(one));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
summarize();

function git(cwd: string, ...argv: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', ...argv], {
    cwd,
    stdio: 'ignore',
  });
}

/** A clone of this repository with a branch of each kind. */
function makeHistory(): string {
  const history = join(folder, 'history');
  git(ROOT, 'clone', '--shared', ROOT, history);
  git(history, 'checkout', '-b', 'unedited');
  for (const [branch, edits] of Object.entries(BRANCHES)) {
    git(history, 'checkout', '-b', `bench-${branch}`, 'unedited');
    for (const edit of edits) {
      apply(history, edit);
    }
    git(history, 'commit', '--all', '--allow-empty', '--message', branch);
  }
  git(history, 'checkout', 'unedited');
  return history;
}

function apply(history: string, { file: name, before, added }: Edit): void {
  const path = join(history, name);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(before)) {
    throw new Error(`${name} has no line ${JSON.stringify(before)}: edit the branches of this script`);
  }
  writeFileSync(path, text.replace(before, `${added}${before}`));
}

function compared(history: string, branch: string): readonly Kept[] {
  const out = join(folder, 'out');
  const refs = ['--base', 'unedited', '--head', `bench-${branch}`];
  const services = ['--suite', 'users', '--services', SERVICES.join(',')];
  const options = ['--always', '--profile', 'instructions', ...services, '--runtime', 'process', '--fail-on', 'never'];
  const startedMs = performance.now();
  execFileSync(process.execPath, [join(ROOT, 'dist/cli.js'), 'compare', ...refs, ...options, '--out', out], {
    cwd: history,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const path = join(out, 'run.json');
  const run = parseRun(readFileSync(path, 'utf8'), path) as RunInRounds;
  return countedFindings(run, run.rounds.policy)
    .filter(({ cell, metric }) => cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest')
    .map(({ cell: { service }, verdict, change, rounds: starts }) => ({
      ...{ branch, service, verdict, change, starts, seconds },
      load: loadavg()[0] ?? 0,
    }));
}

function kept(): readonly Kept[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => JSON.parse(line));
}

/** A comparison has a line of each service. */
function keptComparisons(): number {
  return Math.ceil(kept().length / SERVICES.length);
}

function lineOf({ branch, service, verdict, change, starts, seconds, load }: Kept): string {
  const [estimate, low, high] = [change.estimate, change.low ?? Number.NaN, change.high ?? Number.NaN].map((one) =>
    formatChange(one),
  );
  return `${branch}: ${service} ${verdict} ${estimate} [${low}, ${high}], ${starts} starts; ${seconds.toFixed(0)} s, load ${load.toFixed(1)}`;
}

/** Number of each verdict, by branch and service. */
function summarize(): void {
  const all = kept();
  for (const name of new Set(all.map(nameOf))) {
    const own = all.filter((one) => nameOf(one) === name);
    const verdicts = [...new Set(own.map(({ verdict }) => verdict))];
    const counts = verdicts.map((word) => `${own.filter(({ verdict }) => verdict === word).length} ${word}`);
    const seconds = median(own.map((one) => one.seconds)) ?? Number.NaN;
    console.log(`${name}, ${own.length}: ${counts.join(', ')}; median ${seconds.toFixed(0)} s`);
  }
}

function nameOf({ branch, service }: Kept): string {
  return `${branch}: ${service}`;
}
