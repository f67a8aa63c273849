import { basename, dirname } from 'node:path';
import { outputFolder } from '../adapters/output-folder.ts';
import { mergeRuns, type RunFile } from '../core/merge.ts';
import { formatRun } from '../core/run.ts';
import { readRun } from './read.ts';

/** `wiregauge merge`: several runs (shards, or more rounds) become one file. */
export async function merge(files: readonly [string, ...string[]], out: string): Promise<number> {
  const [first, ...others] = files.map((file): RunFile => ({ file, run: readRun(file) }));
  const merged = mergeRuns([first as RunFile, ...others]);
  const path = await (await outputFolder(dirname(out))).write(basename(out), formatRun(merged));
  process.stdout.write(`merged ${files.length} runs, ${merged.samples.length} samples: ${path}\n`);
  return 0;
}
