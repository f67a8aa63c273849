import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withoutShim } from '../../../../src/runtime/process/program.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shims-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function program(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

/** As pyenv has it: a shim of a program, and the script behind all shims, which tells where the program is. */
function pyenv(which: string): void {
  const manager = program('pyenv/libexec/pyenv', `#!/bin/sh\n${which}\n`);
  const own = `export PYENV_ROOT="${root}/pyenv"`;
  const lines = [
    '#!/usr/bin/env bash',
    'set -e',
    'program="${0##*/}"',
    '',
    own,
    `exec "${manager}" exec "$program" "$@"`,
  ];
  program('pyenv/shims/python3', `${lines.join('\n')}\n`);
}

const without = (...command: readonly string[]) =>
  withoutShim(command, { root, environment: { PATH: `${root}/none:${root}/pyenv/shims:/usr/bin:/bin` } });

test('a program is started without the shim that replaces it', async () => {
  const python = program('pyenv/versions/3.12.1/bin/python3', '');
  pyenv(`echo a warning >&2; [ "$1 $2 $PYENV_ROOT" = "which python3 ${root}/pyenv" ] && echo ${python}`);

  expect(await without('python3', 'app.py')).toEqual([python, 'app.py']);
  expect(await without('pyenv/shims/python3', '-m', 'app')).toEqual([python, '-m', 'app']);
});

test('a shim stays if its program is not reported', async () => {
  pyenv('echo pyenv: python3: command not found >&2; exit 127');
  expect(await without('python3', 'app.py')).toEqual(['python3', 'app.py']);
  pyenv(`echo ${root}/gone`);
  expect(await without('python3')).toEqual(['python3']);
});

test('all other commands stay', async () => {
  program('run', '#!/bin/sh\nexec python3 "$@"\n');
  program('text', 'exec "/bin/true" exec "$program" "$@"\n');
  mkdirSync(join(root, 'folder'));

  for (const name of ['sh', './run', './text', './folder', './absent', 'absent', '']) {
    expect(await without(name, '-c', 'exit')).toEqual([name, '-c', 'exit']);
  }
});
