import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { makeProject } from '../integration/project.ts';
import { catchPrinted } from '../support/printed.ts';

const project = makeProject();
const printed = catchPrinted();
const before = process.cwd();
beforeAll(() => {
  vi.stubEnv('CI', 'true');
  process.chdir(project.root);
});
afterAll(() => {
  vi.unstubAllEnvs();
  process.chdir(before);
  project.remove();
});

test('wiregauge open says where the report is if there is no browser, and that there is none', async () => {
  expect(await runCommandLine(['open'])).toBe(2);
  expect(printed.err).toContain('there is no out/report.html');
  project.write('a b/report.html', '<p>');

  expect(await runCommandLine(['open', '--out', 'a b'])).toBe(0);

  const address = pathToFileURL(`${process.cwd()}/a b/report.html`).href;
  expect(printed.out).toBe(`Open it by hand, because this is a CI job: ${address}\n`);
});

test('wiregauge open --trend knows the page of a clone from GitHub', async () => {
  const git = (...argv: readonly string[]) => execFileSync('git', argv, { cwd: project.root, stdio: 'pipe' });
  git('init', '--quiet', '.');
  git('remote', 'add', 'origin', 'git@github.com:Acme/shop.git');

  expect(await runCommandLine(['open', '--trend', '--json'])).toBe(0);

  expect(JSON.parse(printed.out)).toMatchObject({
    address: 'https://acme.github.io/shop/performance/',
    opened: false,
  });
  git('remote', 'set-url', 'origin', '/srv/shop.git');
  expect(await runCommandLine(['open', '--trend'])).toBe(2);
  expect(printed.err).toContain('not a repository on GitHub');
});
