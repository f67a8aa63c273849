import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { RepositoryCopy } from '../support/repository-copy.ts';

let copy: RepositoryCopy;

beforeAll(() => {
  copy = new RepositoryCopy();
});

afterAll(() => {
  copy[Symbol.dispose]();
});

/** Runs it in the copy, and expects that it succeeds. */
function succeeds(command: string): string {
  const end = copy.run('sh', '-c', command);
  expect(end.exitCode, `${command}\n${end.printed}`).toBe(0);
  return end.printed;
}

test('services in two languages that were just made are measured by a suite that was just made, and answer the same', () => {
  for (const words of [
    ['service', 'greeter'],
    ['service', 'greeter-go', '--language', 'go', '--title', 'Greeter in Go'],
    ['suite', 'greetings', '--services', 'greeter,greeter-go'],
  ]) {
    const made = copy.make(...words);
    expect(made.exitCode, made.printed).toBe(0);
  }

  succeeds('node_modules/.bin/tsx scripts/generated/write.ts');
  expect(readFileSync(join(copy.root, 'services/README.md'), 'utf8')).toMatch(/^\| `greeter-go` +\| Greeter in Go /m);
  succeeds(
    'node_modules/.bin/tsx src/cli.ts run --suite greetings --profile smoke --runtime process --mode saturate --no-versus',
  );
  const run = parseRun(readFileSync(join(copy.root, 'out/run.json'), 'utf8'), 'out/run.json');

  expect(run.services.map(({ name, title }) => [name, title])).toEqual([
    ['greeter', 'Greeter'],
    ['greeter-go', 'Greeter in Go'],
  ]);
  expect(run.failures).toEqual([]);
  expect(existsSync(join(copy.root, 'build/services/greeter-go'))).toBe(true);
});
