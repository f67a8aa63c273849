import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConfigError } from '../../src/foundation/errors.ts';
import { interruptible } from '../../src/host/signals.ts';
import { compareWithItself } from '../../src/measure/session/one-build.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { trimmed } from './trimmed.ts';

/** Rounds to be recorded of this machine, of the working tree against itself. */
export interface Recorder {
  readonly out: string;
  readonly rounds: number;
  /** Percentage of extra work in each request of the head's services that are named; 0 for unchanged code. */
  readonly extraWork: number;
  readonly slow: readonly string[];
  readonly runtime: string;
  readonly profile: string;
}

/** Measures the rounds and leaves `run.json` and the trimmed `rounds.json.gz` in the folder. Gives the exit code. */
export async function record({ out, rounds, extraWork, slow, runtime, profile }: Recorder): Promise<number> {
  if (runtime !== 'docker' && runtime !== 'process' && runtime !== 'auto') {
    throw new ConfigError(`there is no runtime "${runtime}"`, { next: 'Give docker or process.' });
  }
  const environment = { BENCHMARK: '1', EXTRA_WORK: String(extraWork) };
  const slowdown = Object.fromEntries(slow.map((service) => [service, environment]));
  return await interruptible(async (signal) => {
    const run = await compareWithItself({ suite: 'users', profile, rounds, runtime, out, slowdown }, signal);
    const path = join(out, 'rounds.json.gz');
    await writeFile(path, gzipSync(formatRun(trimmed(run)), { level: 9 }));
    console.log(`recorded: ${path} and ${join(out, 'run.json')}, ${run.spent.totalSeconds.toFixed(0)} s`);
    return 0;
  });
}
