import { join } from 'node:path';
import { ConfigError } from '../../src/foundation/index.ts';
import { interruptible, outputFolder } from '../../src/host/index.ts';
import { compareWithItself } from '../../src/measure/index.ts';
import { csvOf } from './csv.ts';

/** Rounds to be recorded of this machine, of the working tree against itself. */
export interface Recorder {
  readonly out: string;
  readonly rounds: number;
  /** Per cent of extra work in each request of the head's services that are named; 0 for unchanged code. */
  readonly extraWork: number;
  readonly slow: readonly string[];
  readonly runtime: string;
  readonly profile: string;
}

/** Measures the rounds and leaves `run.json` and `rounds.csv` in the folder. Gives the exit code. */
export async function record({ out, rounds, extraWork, slow, runtime, profile }: Recorder): Promise<number> {
  if (runtime !== 'docker' && runtime !== 'process' && runtime !== 'auto') {
    throw new ConfigError(`there is no runtime "${runtime}"`, { next: 'Give docker or process.' });
  }
  const environment = { BENCHMARK: '1', EXTRA_WORK: String(extraWork) };
  const slowdown = Object.fromEntries(slow.map((service) => [service, environment]));
  return await interruptible(async (signal) => {
    const run = await compareWithItself({ suite: 'users', profile, rounds, runtime, out, slowdown }, signal);
    const path = await (await outputFolder(out)).write('rounds.csv', csvOf(run));
    console.log(`recorded: ${path} and ${join(out, 'run.json')}, ${run.spent.totalSeconds.toFixed(0)} s`);
    return 0;
  });
}
