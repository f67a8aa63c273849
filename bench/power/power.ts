/**
 * How often the rule alarms on unchanged code and finds a built-in slowdown, and in how many rounds and minutes, in
 * compares drawn from recorded rounds. The 95% bounds are those of the drawing: rounds that were never recorded are
 * in none of the draws.
 *
 *   npm run bench:power
 *
 * draws the figures of README.md.
 *
 *   npm run bench:power -- --unchanged FILE --slowed SERVICE=FILE [--draws 1000] [--seed 1] [--swaps 5000]
 *                          [--minutes 6] [--threshold 2] [--seconds-per-round 22]
 *
 *   npm run bench:power -- --record FOLDER --rounds 60 [--extra-work 5 --slow rest --slow grpc]
 *                          [--runtime process] [--profile standard]
 *
 * records rounds of this machine: the working tree against itself, with so much per cent of extra work in each request
 * of the named services of the head. FILE is a run.json of `wiregauge compare` or a CSV of samples, plain or gzip; both flags may be given several times.
 * The threshold is in per cent. A CSV does not say how long a round took, so it needs --seconds-per-round.
 */
import { parseArgs } from 'node:util';
import { ConfigError, KnownError } from '../../src/foundation/errors.ts';
import { analyse, type PowerOptions, type Recording } from './analysis.ts';
import { readRecorded } from './files.ts';
import { record } from './record.ts';

const { values } = parseArgs({
  options: {
    unchanged: { type: 'string', multiple: true, default: [] },
    slowed: { type: 'string', multiple: true, default: [] },
    draws: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    swaps: { type: 'string', default: '5000' },
    minutes: { type: 'string' },
    threshold: { type: 'string' },
    'seconds-per-round': { type: 'string' },
    record: { type: 'string' },
    rounds: { type: 'string', default: '60' },
    'extra-work': { type: 'string' },
    slow: { type: 'string', multiple: true, default: [] },
    runtime: { type: 'string', default: 'auto' },
    profile: { type: 'string', default: 'standard' },
  },
});

const RECORDED = 'tests/fixtures/recorded';

/** Seconds of a round of the slowed services, as the README there says. */
const SLOWED_SECONDS = 25.4;

try {
  process.exitCode = values.record === undefined ? await analysed() : await recorded(values.record);
} catch (thrown) {
  if (!(thrown instanceof KnownError)) {
    throw thrown;
  }
  console.error(`bench:power: ${thrown.message}${thrown.next === undefined ? '' : `. ${thrown.next}`}`);
  process.exitCode = 2;
}

async function analysed(): Promise<number> {
  console.log(analyse(await recordings(), optionsOf()));
  return 0;
}

async function recorded(out: string): Promise<number> {
  const { slow, runtime, profile } = values;
  const extraWork = numberOf('extra-work') ?? 0;
  return await record({ out, rounds: numberOf('rounds') ?? 0, extraWork, slow, runtime, profile });
}

async function recordings(): Promise<readonly Recording[]> {
  const unchanged = values.unchanged.map((file) => read(file, undefined));
  const slowed = values.slowed.map((argument) => {
    const [, service, file] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
    if (service === undefined || file === undefined) {
      throw new ConfigError(`--slowed ${argument}: is not SERVICE=FILE`, { next: 'Name the service that is slower.' });
    }
    return read(file, service);
  });
  return await Promise.all(unchanged.length + slowed.length === 0 ? ofReadme() : [...unchanged, ...slowed]);
}

function ofReadme(): readonly Promise<Recording>[] {
  return [
    read(`${RECORDED}/unchanged-containers-quiet.json.gz`, undefined),
    read(`${RECORDED}/slowed/rest-5.0.csv.gz`, 'rest', SLOWED_SECONDS),
  ];
}

async function read(path: string, slowed: string | undefined, usualSeconds?: number): Promise<Recording> {
  const { file, secondsPerRound: recorded, ...rounds } = await readRecorded(path);
  const secondsPerRound = numberOf('seconds-per-round') ?? recorded ?? usualSeconds;
  if (secondsPerRound === undefined) {
    throw new ConfigError(`${file}: does not say how long a round took`, { next: 'Give --seconds-per-round.' });
  }
  return { ...rounds, name: file, secondsPerRound, slowed };
}

function optionsOf(): PowerOptions {
  const minutes = numberOf('minutes');
  const threshold = numberOf('threshold');
  return {
    draws: numberOf('draws') ?? 0,
    seed: numberOf('seed') ?? 0,
    swaps: numberOf('swaps') ?? 0,
    budgetSeconds: minutes === undefined ? undefined : minutes * 60,
    threshold: threshold === undefined ? undefined : threshold / 100,
  };
}

function numberOf(
  flag: 'draws' | 'seed' | 'swaps' | 'minutes' | 'threshold' | 'seconds-per-round' | 'rounds' | 'extra-work',
): number | undefined {
  const text = values[flag];
  if (text === undefined) {
    return undefined;
  }
  if (!(Number(text) > 0)) {
    throw new ConfigError(`--${flag} ${text}: is not a number above 0`, { next: 'Give another one.' });
  }
  return Number(text);
}
