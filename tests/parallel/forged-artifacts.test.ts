import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Reported } from '../support/forged-artifacts.ts';

/** More, to look for what these do not find: `FORGED_ARTIFACTS=2000 npx vitest run tests/parallel/forged-artifacts.test.ts`. */
const CASES = Number(process.env['FORGED_ARTIFACTS'] ?? 200);
const SEED = 20_261_123;
/** CPU time of one of them, as a multiple of that of the honest one. */
const MAX_TIMES = 20;
const MAX_MIB = 300;

describe('the second stage of a fork', () => {
  test(`calls none of ${CASES} forged artifacts green, in bounded time and memory`, { timeout: 900_000 }, async () => {
    const limits = ['--import', 'tsx', `--max-old-space-size=${MAX_MIB}`];
    const program = ['tests/support/forged-artifacts.ts', `${CASES}`, `${SEED}`];

    const { stdout } = await promisify(execFile)(process.execPath, [...limits, ...program], { maxBuffer: 2 ** 26 });

    const [honest, ...all]: readonly Reported[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ends = all.map(({ end }) => end);
    const counts = [...new Set(ends)].map((end) => `${end} ${ends.filter((one) => one === end).length}`);
    const slowest = Math.max(...all.map(({ ms }) => ms));
    const largest = Math.max(...all.map(({ bytes }) => bytes)) / 2 ** 20;
    const extremes = `slowest ${slowest.toFixed(0)} ms, largest ${largest.toFixed(1)} MiB`;
    process.stdout.write(`${CASES} forged artifacts: ${counts.join(', ')}; ${extremes}\n`);
    expect(honest?.end).toBe('regressed');
    expect(all).toHaveLength(CASES);
    expect(all.filter(({ isGreen }) => isGreen)).toEqual([]);
    expect(all.filter(({ end }) => end.startsWith('crashed'))).toEqual([]);
    expect(all.filter(({ ms }) => ms > MAX_TIMES * (honest?.ms ?? 0))).toEqual([]);
  });
});
