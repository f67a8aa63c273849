import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitIn, makeScene, type Scene } from '../integration/git-repository.ts';

const DRIVER = 'wiregauge-load-0123456789abcdef-go1.26.8-linux-amd64';
const TSX = resolve('node_modules/.bin/tsx');

let scene: Scene;
let remote = '';
let programs = '';

beforeEach(() => {
  scene = makeScene();
  remote = join(scene.folder, 'remote.git');
  programs = join(scene.folder, 'programs');
  gitIn(scene.folder, 'init', '--quiet', '--bare', remote);
  scene.git('remote', 'add', 'origin', remote);
  readyFor('1.0.0');
});

afterEach(() => {
  scene.remove();
});

test('check says what the release would do, and changes nothing', () => {
  const { status, output } = script('check', '1.0.0');

  expect(status, output).toBe(0);
  expect(output).toContain('tag: v1.0.0, the latest release\nmajor tag: v1 moves here\nnpm and image: latest');
  expect(output).toContain('What 1.0.0 brings.');
  expect(tags()).toEqual({});
});

test('check refuses with code 2 and every reason, without a stack trace', () => {
  scene.write('left-over.txt', 'x');

  const { status, output } = script('check', '1.0.1');

  expect(status).toBe(2);
  expect(output).toContain('- package.json has the version 1.0.0');
  expect(output).toContain('- CHANGELOG.md has no section "## 1.0.1');
  expect(output).toContain('?? left-over.txt');
  expect(output).not.toMatch(/^ +at /m);
});

test('publish pushes the tag, makes the release with the notes, and moves the major tag from the release before', () => {
  fakeGh('exit 0');
  const first = scene.git('rev-parse', 'HEAD');
  expect(script('publish', '1.0.0').status).toBe(0);
  const second = readyFor('1.1.0');

  const { status, output } = script('publish', '1.1.0');

  expect(status, output).toBe(0);
  expect(tags()).toEqual({ 'v1.0.0': first, 'v1.1.0': second, v1: second });
  const files = `${join(assets(), DRIVER)} tools/load/SHA256SUMS`;
  expect(said()).toBe(
    `release create v1.0.0 ${files} --verify-tag --title v1.0.0 --notes-file - --latest=true\nWhat 1.0.0 brings.\n` +
      `release create v1.1.0 ${files} --verify-tag --title v1.1.0 --notes-file - --latest=true\nWhat 1.1.0 brings.\n`,
  );
});

test('publish passes the package and image channels of the release to later jobs', () => {
  fakeGh('exit 0');
  const output = join(scene.folder, 'output');
  readyFor('1.1.0-rc.1');

  script('publish', '1.1.0-rc.1', { GITHUB_OUTPUT: output });

  expect(readFileSync(output, 'utf8')).toBe('channel=next\n');
});

test('a pre-release leaves the major tag alone', () => {
  fakeGh('exit 0');
  const first = scene.git('rev-parse', 'HEAD');
  script('publish', '1.0.0');
  const second = readyFor('1.1.0-rc.1');

  expect(script('publish', '1.1.0-rc.1').status).toBe(0);

  expect(tags()).toEqual({ 'v1.0.0': first, 'v1.1.0-rc.1': second, v1: first });
  expect(said()).toContain('--prerelease\n');
});

test('publish takes the tag back where GitHub refuses the release, so that it can be tried again', () => {
  fakeGh('exit 1');

  const refused = script('publish', '1.0.0');

  expect(refused.status).toBe(2);
  expect(refused.output).toContain('v1.0.0 is not released');
  expect(tags()).toEqual({});

  fakeGh('exit 0');
  expect(script('publish', '1.0.0').status).toBe(0);
  expect(Object.keys(tags())).toEqual(['v1', 'v1.0.0']);
});

test('publish makes no release twice', () => {
  fakeGh('exit 0');
  script('publish', '1.0.0');
  const before = said();

  const { status, output } = script('publish', '1.0.0');

  expect(status).toBe(2);
  expect(output).toContain('The tag v1.0.0 exists already');
  expect(said()).toBe(before);
});

test.each([
  ['is missing', () => rmSync(join(assets(), DRIVER)), `- ${DRIVER} is not in "`],
  ['is another one', () => writeFileSync(join(assets(), DRIVER), 'something else'), `- ${DRIVER} has the SHA-256 `],
  ['was never committed to', () => commitSums(''), '- tools/load/SHA256SUMS names no files'],
])('publish makes no release where the driver %s', (_, spoil, words) => {
  fakeGh('exit 0');
  spoil();

  const { status, output } = script('publish', '1.0.0');

  expect(status).toBe(2);
  expect(output).toContain(words);
  expect(tags()).toEqual({});
});

function commitSums(sums: string): void {
  scene.write('tools/load/SHA256SUMS', sums);
  scene.commit('Change the checksums');
}

/** Where another job has built the driver. */
function assets(): string {
  return join(scene.folder, 'assets');
}

function readyFor(version: string): string {
  mkdirSync(assets(), { recursive: true });
  writeFileSync(join(assets(), DRIVER), 'the driver');
  scene.write('tools/load/SHA256SUMS', `${createHash('sha256').update('the driver').digest('hex')}  ${DRIVER}\n`);
  scene.write('package.json', JSON.stringify({ version }));
  scene.write('README.md', 'uses: wiregauge/wiregauge@v1\n');
  scene.write('CHANGELOG.md', `# Changelog\n\n## ${version} (2026-12-01)\n\nWhat ${version} brings.\n`);
  return scene.commit(`Prepare ${version}`);
}

/** A `gh` that writes down its arguments and what it is given to read. */
function fakeGh(end: string): void {
  mkdirSync(programs, { recursive: true });
  const path = join(programs, 'gh');
  writeFileSync(path, `#!/bin/sh\n{ echo "$*"; cat; echo; } >> '${ghLog()}'\n${end}\n`);
  chmodSync(path, 0o755);
}

/** What the fake `gh` has written down. */
function said(): string {
  return readFileSync(ghLog(), 'utf8');
}

function ghLog(): string {
  return join(scene.folder, 'gh.log');
}

/** Commits of the remote's tags, by name. */
function tags(): Record<string, string> {
  const lines = gitIn(remote, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/tags').split('\n');
  return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
}

function script(
  name: 'check' | 'publish',
  version: string,
  variables: Readonly<Record<string, string>> = {},
): { readonly status: number | null; readonly output: string } {
  const { GITHUB_REF: _, GITHUB_OUTPUT: __, ...environment } = process.env;
  const own = { VERSION: version, ASSETS: assets(), PATH: `${programs}:${process.env['PATH']}` };
  const env = { ...environment, ...own, ...variables };
  const { status, stdout, stderr } = spawnSync(TSX, [resolve(`scripts/release/${name}.ts`)], {
    cwd: scene.repository,
    env,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}
