import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInBrowser } from '../../../src/host/browser.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'browser-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ADDRESS = new URL('file:///out/a$(touch%20x)/report.html');

/** A program that notes its arguments, one a line. */
function program(name: string, exitCode = 0): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" > "${file}.got"\nexit ${exitCode}\n`);
  chmodSync(file, 0o755);
}

const open = async (environment: Readonly<Record<string, string>>, platform: NodeJS.Platform = 'linux') =>
  await openInBrowser(ADDRESS, { environment: { PATH: folder, ...environment }, platform });
const gotBy = (name: string) => {
  const file = join(folder, `${name}.got`);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

describe('an address', () => {
  test.each([
    ['xdg-open', { DISPLAY: ':0' }, 'linux' as const],
    ['xdg-open', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux' as const],
    ['wslview', { WSL_DISTRO_NAME: 'Debian' }, 'linux' as const],
    ['open', {}, 'darwin' as const],
  ])('is the one argument of %s with %j', async (name, environment, platform) => {
    program(name);

    expect(await open(environment, platform)).toBeUndefined();
    expect(gotBy(name)).toBe(`${ADDRESS.href}\n`);
  });

  test.each([
    ['this is a CI job', { CI: 'true', DISPLAY: ':0' }],
    ['this is an SSH session', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: ':0' }],
    ['this machine has no screen', {}],
  ])('is not opened if %s', async (why, environment) => {
    program('xdg-open');

    expect(await open(environment)).toBe(why);
    expect(gotBy('xdg-open')).toBeUndefined();
  });

  test.each([
    ['a program', 'chromium', [ADDRESS.href]],
    [
      'a program with its arguments',
      'chromium --incognito  --new-window',
      ['--incognito', '--new-window', ADDRESS.href],
    ],
    ['a place for the address', 'chromium --app=%s -x', [`--app=${ADDRESS.href}`, '-x']],
    ['a program that is not there, and another one', 'lynx:chromium', [ADDRESS.href]],
  ])('is opened by BROWSER before all else, also over SSH and without a screen: %s', async (_, BROWSER, argv) => {
    program('chromium');
    program('xdg-open');

    expect(await open({ BROWSER, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBeUndefined();
    expect(gotBy('chromium')).toBe(`${argv.join('\n')}\n`);
    expect(gotBy('xdg-open')).toBeUndefined();
  });

  test('is opened by no BROWSER in a CI job', async () => {
    program('chromium');

    expect(await open({ BROWSER: 'chromium', CI: 'true' })).toBe('this is a CI job');
    expect(gotBy('chromium')).toBeUndefined();
  });

  test('is opened as usual if BROWSER fails', async () => {
    program('chromium', 1);
    program('xdg-open');

    expect(await open({ BROWSER: 'chromium', DISPLAY: ':0' })).toBeUndefined();
    expect(gotBy('xdg-open')).toBe(`${ADDRESS.href}\n`);
    expect(await open({ BROWSER: 'chromium' })).toBe('no browser could be started');
  });

  test('is not opened by a program that fails, or is not there', async () => {
    expect(await open({ DISPLAY: ':0' })).toBe('no browser could be started');
    program('xdg-open', 3);
    expect(await open({ DISPLAY: ':0' })).toBe('no browser could be started');
  });
});
