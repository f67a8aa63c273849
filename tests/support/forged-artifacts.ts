/**
 * Forges artifacts of a run whose head is slower, and judges them as the second stage of a fork's pull request does; prints one line of JSON for
 * each. To be run in a heap of a limited size: npx tsx tests/support/forged-artifacts.ts <cases> <seed>
 */
import { KnownError } from '../../src/foundation/errors.ts';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { seededRandom } from '../../src/foundation/random.ts';
import { isFullPass } from '../../src/judge/verdict/coverage.ts';
import { foreignRun } from '../../src/judge/verdict/foreign-run.ts';
import { judgeRun } from '../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { HOSTILE } from './hostile-run.ts';
import { sampleSuite } from './sample-cells.ts';
import { committed, QUIET } from './sample-comment.ts';

const HEAD = 'c'.repeat(40);
const RULES = { headSha: HEAD, policy: DEFAULT_POLICY, suite: sampleSuite() };

/** What the pull request's job has measured: both services need more at saturation, and none of it may be told green. */
function honestText(): string {
  const worse = ['rest', 'grpc'].map((service) => ({ service, tier: 'saturation', by: 0.12 }));
  const run = committed({ ...QUIET, rounds: 8, worse });
  const histogram = encodeHistogram([1, 2, 3]);
  const samples = run.samples.map(({ series: _series, ...sample }) => ({ ...sample, histogram }));
  return formatRun({ ...run, samples, rounds: { ...run.rounds, head: { ...run.rounds.head, commit: HEAD } } });
}

// biome-ignore lint/suspicious/noExplicitAny: a forgery has whatever shape it likes.
type Forged = any;

/** Draws whole numbers below a bound. */
type Draw = (below: number) => number;

type Forgery = (run: Forged, draw: Draw) => void;

/** Figures: what a stranger writes there is believed, and the comment says so. */
const FIGURES = new Set(['values', 'blockSums', 'histogram', 'requests', 'failures', 'side', 'round', 'cell']);

/** A map or a list anywhere in a run, and one of its keys. */
function placeIn(run: Forged, draw: Draw): readonly [Forged, string] {
  for (let at = run; ; ) {
    const keys = Object.keys(at).filter((key) => !FIGURES.has(key));
    const key = keys[draw(keys.length)] ?? 'schema';
    const inner = at[key];
    if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0 || draw(3) === 0) {
      return [at, key];
    }
    at = inner;
  }
}

const ODD = [
  -1,
  0,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  null,
  true,
  '',
  HOSTILE,
  'x'.repeat(100_000),
  [],
  {},
  ['__proto__'],
];

const without = (list: Forged[], draw: Draw) => void list.splice(draw(list.length), 1);

const side = (run: Forged, draw: Draw) => (draw(2) === 0 ? run.rounds.base : run.rounds.head);

const FORGERIES: Readonly<Record<string, Forgery>> = {
  'a field dropped': (run, draw) => {
    const [at, key] = placeIn(run, draw);
    if (Array.isArray(at)) {
      at.splice(Number(key), 1);
    } else {
      delete at[key];
    }
  },
  'another value': (run, draw) => {
    const [at, key] = placeIn(run, draw);
    at[key] = ODD[draw(ODD.length)];
  },
  'deep nesting': (run, draw) => {
    const [at, key] = placeIn(run, draw);
    at[key] = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`);
  },
  'a part twice': (run, draw) => {
    const lists = [
      run.samples,
      run.services,
      run.rounds.rounds,
      run.rounds.tiers,
      run.suite.tiers,
      run.suite.operations,
    ];
    const list = lists[draw(lists.length)];
    list.push(structuredClone(list[draw(list.length)]));
  },
  'very many of a part': (run, draw) => {
    const list = [run.services, run.rounds.rounds, run.suite.operations, run.rounds.head.services][draw(4)];
    const one = list[0];
    for (let index = 0; index < 5000; index += 1) {
      list.push(typeof one === 'string' ? `s${index}` : { ...one, name: `s${index}` });
    }
  },
  'a service left out of a version': (run, draw) => without(side(run, draw).services, draw),
  'a service left out everywhere': (run, draw) => {
    const name = ['rest', 'grpc'][draw(2)];
    for (const version of [run.rounds.base, run.rounds.head]) {
      version.services = version.services.filter((one: string) => one !== name);
    }
    run.services = run.services.filter((one: Forged) => one.name !== name);
    run.rounds.rounds = run.rounds.rounds.filter((one: Forged) => one.service !== name);
    run.samples = run.samples.filter((one: Forged) => one.cell.service !== name);
  },
  'an operation left out': (run, draw) => {
    const name = ['GetUser', 'ListUsers'][draw(2)];
    run.suite.operations = run.suite.operations.filter((one: Forged) => one.name !== name);
    side(run, draw).operations = [name];
  },
  'a tier left out': (run, draw) => without(draw(2) === 0 ? run.rounds.tiers : run.suite.tiers, draw),
  'the samples of a tier left out': (run, draw) => {
    const tier = ['saturation', 'low', 'medium', 'high'][draw(4)];
    run.samples = run.samples.filter((one: Forged) => one.cell.tier !== tier);
  },
  'samples left out': (run, draw) => {
    run.samples = run.samples.filter(() => draw(4) > 0);
  },
  'a metric left out': (run, draw) => {
    const metric = ['cpuMicrosPerRequest', 'achievedRps', 'latencyP50Ms'][draw(3)] ?? '';
    for (const { values } of run.samples) {
      delete values[metric];
    }
  },
  'rounds that were not kept': (run, draw) => {
    for (const round of run.rounds.rounds) {
      round.outcome = ['kept', 'discarded', 'failed'][draw(3)];
    }
  },
  'another suite': (run, draw) => {
    run.suite.name = ['payload', 'users2', '__proto__', ''][draw(4)];
  },
  'another profile': (run, draw) => {
    run.rounds.profile.name = ['smoke', 'quick', 'thorough', 'endless', 'constructor'][draw(5)];
    run.rounds.profile.looks = [{ rounds: 1 + draw(40), spent: 1 }];
  },
  'another end': (run, draw) => {
    run.rounds.ended = ['decided', 'rounds', 'budget', 'interrupted', 'running'][draw(5)];
    run.rounds.decided = ['rest', 'grpc'].slice(draw(3));
    run.complete = draw(2) === 0;
  },
  'a policy of its own': (run) => {
    const all = { metric: 'cpuMicrosPerRequest', upTo: 10, until: '2099-01-01', why: 'me' };
    run.rounds.policy = { ...run.rounds.policy, alpha: 1e-9, thresholds: [{ threshold: 9 }], accepted: [all] };
  },
  'another commit, or a run of another time': (run, draw) => {
    run.rounds.head.commit = [HEAD, 'd'.repeat(40), '', undefined][draw(4)];
    run.rounds.head.dirty = draw(2) === 0;
    run.startedAt = ['2020-01-01T00:00:00Z', '9999-12-31T23:59:59Z'][draw(2)];
    run.seed = draw(1e9);
  },
  'shards that were lost': (run, draw) => {
    const { startedAt, seed, runner, spent } = run;
    const measured = [{ index: 1, startedAt, seed, runner, spent, ended: 'rounds' }];
    const services = [[['rest', 'grpc'], ['other']], [['grpc'], ['rest']], [['rest', 'grpc']]][draw(3)];
    run.rounds.shards = { kind: 'merged', of: services?.length, services, measured };
  },
  'a comparison of services': (run) => {
    run.rounds.versus = { reference: 'rest' };
  },
  'a version that was not built': (run, draw) => {
    run.rounds.unbuilt = [{ message: HOSTILE, services: ['rest', 'grpc'].slice(draw(3)) }];
  },
};

const NAMES = Object.keys(FORGERIES);

/** What a forged artifact of so many bytes came to, in how much CPU time. */
export interface Reported {
  readonly forgeries: readonly string[];
  readonly end: string;
  readonly bytes: number;
  readonly ms: number;
  readonly isGreen: boolean;
}

/** Outcome of an artifact, and the CPU time that it took, which hardly depends on what else runs. */
function judged(forgeries: readonly string[], text: string): Reported {
  const began = process.cpuUsage();
  const reported = (end: string, isGreen = false): Reported => {
    const { user, system } = process.cpuUsage(began);
    return { forgeries, end, isGreen, bytes: Buffer.byteLength(text), ms: (user + system) / 1000 };
  };
  try {
    const result = judgeRun(foreignRun(parseRun(text, 'run.json'), RULES));
    return reported(result.outcome, isFullPass(result));
  } catch (thrown) {
    return reported(thrown instanceof KnownError ? 'refused' : `crashed: ${thrown}`);
  }
}

function tryCase(text: string, draw: Draw): Reported {
  const run = JSON.parse(text);
  const forgeries = Array.from({ length: 1 + draw(3) }, () => NAMES[draw(NAMES.length)] ?? '');
  for (const name of forgeries) {
    try {
      FORGERIES[name]?.(run, draw);
    } catch {
      // What an earlier one took away.
    }
  }
  return judged(forgeries, JSON.stringify(run) ?? '');
}

const [cases = 0, seed = 0] = process.argv.slice(2).map(Number);
const random = seededRandom(seed);
const text = honestText();
process.stdout.write(`${JSON.stringify(judged([], text))}\n`);
for (let index = 0; index < cases; index += 1) {
  process.stdout.write(`${JSON.stringify(tryCase(text, (below) => Math.floor(random() * below)))}\n`);
}
