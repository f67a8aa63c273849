/**
 * How often each rule alarms on unchanged code, and how often it finds a slowdown of one comparison: on simulated slots
 * of several kinds of noise and on rounds that were recorded on a real machine, with 95% bounds. Exits with 1 where
 * our rule does not keep what it promises.
 *
 *   npm run bench:rules -- [--pull-requests 1000] [--slowed 300] [--seed 1] [--swaps 5000] [--peer-rounds 15]
 *                          [--recorded tests/fixtures/recorded] [--noise typical]
 *
 * The defaults take a few minutes of one core. `--noise` keeps to sources of that name and may be given several times.
 */
import { parseArgs } from 'node:util';
import { recordedSources } from './recorded.ts';
import { simulatedSources } from './simulated.ts';
import { promisesOf, tableOf } from './table.ts';
import { tally } from './tally.ts';

const EFFECTS = [0.05, 0.1, 0.2];
const PROMISED = { place: 1, name: '+10%' };

const { values } = parseArgs({
  options: {
    'pull-requests': { type: 'string', default: '1000' },
    slowed: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    swaps: { type: 'string', default: '5000' },
    'peer-rounds': { type: 'string', default: '15' },
    noise: { type: 'string', multiple: true },
    recorded: { type: 'string', default: 'tests/fixtures/recorded' },
  },
});

const trial = {
  unchanged: countOf('pull-requests'),
  slowed: countOf('slowed'),
  effects: EFFECTS,
  seed: countOf('seed'),
  swaps: countOf('swaps'),
  peerRounds: countOf('peer-rounds'),
};

const recorded = await recordedSources(values.recorded);
if (recorded.length === 0) {
  console.log(
    `${values.recorded}: no recorded rounds (*.csv, *.json, plain or gzip), so only simulated ones are judged`,
  );
}
const sources = [...simulatedSources(), ...recorded].filter(({ name }) => values.noise?.includes(name) ?? true);
if (sources.length === 0) {
  console.error(`bench:rules: there is no noise called ${values.noise?.join(' or ')}`);
  process.exit(2);
}
const rows = sources.flatMap((source) => {
  console.log(source.about);
  const own = tally(source, trial);
  for (const { line, isKept } of promisesOf(own, PROMISED)) {
    console.log(`  ${isKept ? 'kept  ' : 'BROKEN'}  ${line}`);
    process.exitCode = isKept ? process.exitCode : 1;
  }
  return own;
});
console.log(`\n${tableOf(rows, EFFECTS)}`);

function countOf(flag: 'pull-requests' | 'slowed' | 'seed' | 'swaps' | 'peer-rounds'): number {
  const text = values[flag];
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    console.error(`bench:rules: --${flag} ${text}: is not a whole number from 1`);
    process.exit(2);
  }
  return Number(text);
}
