import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import type { publish } from '../../src/commands/history/publish.ts';
import { formatRun, type MainRun } from '../../src/model/run/run.ts';
import type { PublishBench } from '../integration/publish-bench.ts';
import { sampleRun } from '../support/sample-run.ts';

export const FLAGS: Parameters<typeof publish>[1] = { remote: 'origin', branch: 'gh-pages', folder: 'performance' };

const WORKFLOW = /^(?:GITHUB_|RUNNER_|Image)/;

/** What publishing in the scene's repository, outside of a workflow, has printed; `root` is where the tests were started. */
export interface Printed {
  text: string;
  readonly root: string;
}

/** Changes to the scene's repository for each test of a file, and keeps what is printed. */
export function printedPerTest(bench: PublishBench): Printed {
  const printed = { text: '', root: process.cwd() };
  beforeEach(() => {
    process.chdir(bench.scene.repository);
    for (const name of Object.keys(process.env).filter((known) => WORKFLOW.test(known))) {
      delete process.env[name];
    }
    printed.text = '';
    const print = (text: unknown) => {
      printed.text += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(print);
    vi.spyOn(process.stderr, 'write').mockImplementation(print);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.chdir(printed.root);
  });
  return printed;
}

/** A run of the commit that is checked out in the scene's repository, as a file. */
export function runFile({ scene }: PublishBench, change: Partial<MainRun> = {}): string {
  const commit = { head: scene.git('rev-parse', 'HEAD'), dirty: false };
  const file = join(scene.folder, 'run.json');
  const startedAt = '2026-11-21T10:00:00.000Z';
  writeFileSync(file, formatRun(sampleRun({ rounds: 3, change: { startedAt, commit, ...change } })));
  return file;
}
