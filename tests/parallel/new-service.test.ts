import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  succeeds('"$(scripts/uv)" lock --check');
  // This repository's environment has all that it needs; another one takes longer than all the rest. mypy knows its packages by its cache here.
  const bin = resolve('.venv/bin');
  const mypy = `${bin}/mypy --cache-dir ${resolve('.mypy_cache')}`;
  succeeds(`${bin}/ruff check services/greeter && ${bin}/ruff format --check services/greeter`);
  succeeds(`MYPYPATH=services/greeter/src:services/lib/python/src ${mypy} services/greeter/src`);
  expect(succeeds(`PYTHONPATH=services/greeter/src ${bin}/pytest services/greeter`)).toMatch(/\b6 passed\b/);
});

test('a service in Go that was just made is formatted, and passes its tests', () => {
  const made = copy.make('service', 'greeter-go', '--language', 'go', '--title', 'Greeter in Go');

  expect(made.exitCode, made.printed).toBe(0);
  expect(succeeds('cd services/greeter-go && gofmt -l . && go mod verify && go vet ./...')).not.toContain('.go');
  expect(succeeds('go test -C services/greeter-go -vet=off ./...')).toMatch(/^ok /m);
});
