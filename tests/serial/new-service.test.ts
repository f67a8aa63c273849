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

test('a service in Python that was just made is linted and typed, and passes its tests', () => {
  const made = copy.make('service', 'greeter');

  expect(made.exitCode, made.printed).toBe(0);
  succeeds('"$(scripts/uv)" lock --check && "$(scripts/uv)" sync --frozen --all-packages --all-groups --quiet');
  succeeds('.venv/bin/ruff check services/greeter && .venv/bin/ruff format --check services/greeter');
  succeeds('MYPYPATH=services/greeter/src:services/shared/src .venv/bin/mypy services/greeter/src');
  expect(succeeds('.venv/bin/pytest services/greeter')).toMatch(/\b6 passed\b/);
});

test('a service in Go that was just made is formatted, and passes its tests', () => {
  const made = copy.make('service', 'greeter-go', '--language', 'go', '--title', 'Greeter in Go');

  expect(made.exitCode, made.printed).toBe(0);
  expect(succeeds('cd services/greeter-go && gofmt -l . && go mod verify && go vet ./...')).not.toContain('.go');
  expect(succeeds('go test -C services/greeter-go ./...')).toMatch(/^ok /m);
});

test('both are measured by a suite that was just made, and answer the same', () => {
  const made = copy.make('suite', 'greetings', '--services', 'greeter,greeter-go');
  expect(made.exitCode, made.printed).toBe(0);

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
