import { join } from 'node:path';
import { outputFolder } from '../adapters/output-folder.ts';
import { baselineOf, formatBaseline } from '../core/baseline.ts';
import { ConfigError } from '../core/errors.ts';
import { runnerClass } from '../core/runner.ts';
import { readRun } from './read.ts';

export interface BaselineFlags {
  readonly folder: string;
  readonly note: string;
}

/** `wiregauge baseline update`: a complete run becomes the stored baseline of its suite and runner class. */
export async function updateBaseline(file: string, flags: BaselineFlags): Promise<number> {
  const run = readRun(file);
  if (!run.complete) {
    throw new ConfigError(`${file}: the run was not completed, so it cannot be a baseline`, {
      next: 'Run `wiregauge run` to its end first.',
    });
  }
  const folder = await outputFolder(join(flags.folder, run.suite.name));
  const path = await folder.write(`${runnerClass(run.runner)}.json`, formatBaseline(baselineOf(run, flags.note)));
  process.stdout.write(`baseline: ${path}\n`);
  return 0;
}
