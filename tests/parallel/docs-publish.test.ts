import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitIn } from '../integration/git-repository.ts';
import { workflowFiles } from '../support/workflow-files.ts';

let folder = '';
let remote = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docs-publish-'));
  remote = join(folder, 'owner/name');
  gitIn(folder, 'init', '--quiet', '--bare', remote);
  program('gh', '');
  program('sleep', '');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string, place = 'bin'): void {
  write(join(place, name), `#!/bin/sh\n${text}\n`, 0o755);
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text, { mode });
}

/** Runs the step of the workflow as a job does that begins in an empty folder with the site in it; gives how it ended. */
function publish(site: Readonly<Record<string, string>>): number | null {
  const job = mkdtempSync(join(folder, 'job-'));
  for (const [path, text] of Object.entries({ '404.html': 'no such page', ...site })) {
    write(join(job.slice(folder.length), 'docs', path), text);
  }
  const workflow = workflowFiles().find(({ file }) => file === '.github/workflows/docs.yml');
  const script = workflow?.jobs['publish']?.steps.find(({ run }) => run?.includes('git push'))?.run ?? '';
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    GITHUB_SERVER_URL: folder,
    GITHUB_REPOSITORY: 'owner/name',
    GITHUB_SHA: '0123abc',
  };
  return spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: job, env }).status;
}

const files = () => gitIn(remote, 'ls-tree', '-r', '--name-only', 'gh-pages').split('\n');
const commits = () => Number(gitIn(remote, 'rev-list', '--count', 'gh-pages'));

test('the documents create the branch, replace its content, and make no commit if nothing changed', () => {
  expect(publish({ 'index.html': 'first', 'old.html': 'old' })).toBe(0);
  expect(files()).toEqual(['.nojekyll', '404.html', 'docs/404.html', 'docs/index.html', 'docs/old.html']);

  expect(publish({ 'index.html': 'second' })).toBe(0);
  expect(files()).toEqual(['.nojekyll', '404.html', 'docs/404.html', 'docs/index.html']);
  expect(gitIn(remote, 'show', 'gh-pages:docs/index.html')).toBe('second');

  expect(publish({ 'index.html': 'second' })).toBe(0);
  expect(commits()).toBe(2);
});

test('the documents keep the history next to them, also one that was pushed first', () => {
  const other = join(folder, 'other');
  gitIn(folder, 'init', '--quiet', '--initial-branch', 'gh-pages', other);
  write('other/performance/index.html', 'the history');
  gitIn(other, 'add', '--all');
  gitIn(other, 'commit', '--quiet', '--message', 'A run');
  gitIn(other, 'push', '--quiet', remote, 'gh-pages');
  write('other/performance/feed.xml', 'a second run');
  gitIn(other, 'add', '--all');
  gitIn(other, 'commit', '--quiet', '--message', 'Another run');
  // The first push of the documents finds that the history was first.
  const first = `[ -e "${folder}/pushed" ] && exit; touch "${folder}/pushed"; cd "${other}" && git push --quiet "${remote}" gh-pages; exit 1`;
  program('pre-push', first, 'templates/hooks');
  program('git', `GIT_TEMPLATE_DIR="${folder}/templates" exec "${gitProgram()}" "$@"`);

  expect(publish({ 'index.html': 'first' })).toBe(0);
  expect(files()).toContain('performance/feed.xml');
  expect(files()).toContain('docs/index.html');
  expect(commits()).toBe(3);
});

function gitProgram(): string {
  return spawnSync('which', ['git'], { encoding: 'utf8' }).stdout.trim();
}
