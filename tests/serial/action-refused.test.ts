import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { HEAD, refusal, useStep } from '../integration/action-step.ts';

const bench = useStep();

const suite = () => readFileSync(join(bench.project.root, 'suites/small.yml'), 'utf8');

describe('a step whose inputs are wrong', () => {
  test.each([
    [{ budgt: '5m' }, /there is no input `budgt`[\s\S]*Did you mean `with: \{ budget: … \}`\?/],
    [{ mode: 'fast' }, /the input `mode` is "fast"[\s\S]*Use one of: auto, compare/],
    [{ suite: 'smal' }, /there is no suite "smal"[\s\S]*Available suites: small/],
    [{ mode: 'compare' }, /there is nothing to compare with[\s\S]*`with: \{ args: --base <branch, tag or commit> \}`/],
    [
      { args: 'compare --base main', profile: 'fast' },
      /the input `profile` is "fast"[\s\S]*Profiles: smoke, quick, standard, thorough/,
    ],
  ])('says which: %j', async (inputs, words) => {
    const log = await refusal(bench, { inputs: inputs as Record<string, string> });

    expect(log).toMatch(words);
    expect(log).toContain('::error title=Wiregauge WG-');
  });
});

describe('a step whose configuration is of another version', () => {
  test.each([
    [
      'a misspelt key',
      (text: string) => text.replace('tiers:', 'teirs:'),
      /small\.yml:6:1: teirs: is an unknown key; did you mean tiers\?/,
    ],
    [
      'a later layout',
      (text: string) => `version: 2\n${text}`,
      /small\.yml:1:1: version: is an unknown key; expected one of name, /,
    ],
  ])('says where, for %s', async (_what, change, words) => {
    bench.project.write('suites/small.yml', change(suite()));

    const log = await refusal(bench, {});

    expect(log).toMatch(words);
    expect(log).toMatch(/newer Wiregauge, use that version: `uses: wiregauge\/wiregauge@<version>`/);
  });
});

describe('a runner without the engine that was asked for', () => {
  const docker = async (DOCKER_HOST: string) =>
    await refusal(bench, { inputs: { runtime: 'docker' }, environment: { DOCKER_HOST } });

  test('says that there is no socket, and what has one', async () => {
    expect(await docker(`unix://${bench.folder}/none.sock`)).toMatch(
      /--runtime docker: there is no Docker socket at \S+none\.sock \(DOCKER_HOST\)\n.*`runs-on: ubuntu-24\.04`.*`with: \{ args: --runtime process \}`/,
    );
  });

  test('says that an engine elsewhere will not do', async () => {
    expect(await docker('tcp://build.example:2376')).toMatch(
      /DOCKER_HOST is tcp:\/\/build\.example:2376[\s\S]*`env: \{ DOCKER_HOST: "" \}`/,
    );
  });

  test('says that nothing listens', async () => {
    writeFileSync(join(bench.folder, 'dead.sock'), '');

    expect(await docker(`unix://${bench.folder}/dead.sock`)).toMatch(
      /nothing listens on the Docker socket[\s\S]*sudo systemctl start docker/,
    );
  });

  test('says that containers of another system will not do', async () => {
    const server: Server = createServer((_request, response) => response.end('{"Version":"28.0.1","Os":"windows"}'));
    await new Promise<void>((done) => server.listen(join(bench.folder, 'engine.sock'), done));
    try {
      expect(await docker(`unix://${bench.folder}/engine.sock`)).toMatch(
        /the Docker engine runs windows containers, but the services need Linux containers/,
      );
    } finally {
      server.close();
    }
  });
});

describe('a pull request without a token', () => {
  const repo = { full_name: 'one/service' };
  const payload = {
    pull_request: { number: 12, base: { sha: HEAD, ref: 'main', repo }, head: { sha: HEAD, ref: 'topic', repo } },
  };
  // Something else is wrong, too, so that nothing is measured.
  const reported = async (inputs: Record<string, string>, environment: Record<string, string> = {}) =>
    await refusal(bench, { event: 'pull_request', payload, inputs: { budget: 'little', ...inputs }, environment });

  test('is warned before anything is measured, with the lines that give one', async () => {
    expect(await reported({})).toMatch(
      /^::warning title=Wiregauge::There is no token for GitHub, so no comment will be written: .*`with: \{ token: "\$\{\{ github\.token \}\}" \}`.*`permissions: \{ contents: read, pull-requests: write \}`/m,
    );
  });

  test('is not warned where it has one or wants no comment', async () => {
    await using github = await startGitHubApi();
    expect(await reported({ token: WORKFLOW_TOKEN }, { GITHUB_API_URL: github.url })).not.toContain('no token');
    expect(await reported({ comment: 'never' })).not.toContain('no token');
  });
});
