import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { action } from '../../src/commands/action/action.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type FakeWorkflowHost, fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { DEARER } from '../support/sample-comment.ts';
import { sampleShard } from '../support/sample-shards.ts';
import { artifactsPerTest } from './artifact-bench.ts';

const HEAD = 'c'.repeat(40);
const SERVICES = [['one'], ['two']];
const ARTIFACT = 'https://github.com/one/service/actions/runs/77/artifacts/9001';
const bench = artifactsPerTest();
let api: GitHubApi;

beforeEach(async () => {
  api = await startGitHubApi();
  vi.stubEnv('GITHUB_API_URL', api.url);
  vi.stubEnv('GITHUB_TOKEN', '');
});

afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

/** The job that unites two shards, which measures nothing by itself: both got slower. */
async function mergingJob(
  inputs: Readonly<Record<string, string>>,
): Promise<FakeWorkflowHost & { readonly summaries: readonly string[] }> {
  const runs = join(bench.folder, 'shards');
  for (const index of [1, 2]) {
    const shard = sampleShard({ ...DEARER, index, services: SERVICES });
    const head = { ...shard.rounds.head, commit: HEAD, dirty: false };
    await mkdir(join(runs, `${index}`), { recursive: true });
    await writeFile(join(runs, `${index}`, 'run.json'), formatRun({ ...shard, rounds: { ...shard.rounds, head } }));
  }
  const repo = { full_name: 'one/service' };
  const summaries: string[] = [];
  return {
    ...fakeWorkflowHost({ mode: 'merge', runs, token: WORKFLOW_TOKEN, comment: 'always', ...inputs }),
    eventName: 'pull_request',
    payload: {
      pull_request: { number: 12, base: { sha: 'b'.repeat(40), ref: 'main', repo }, head: { sha: HEAD, repo } },
    },
    temporaryFolder: bench.folder,
    summary: async (markdown) => void summaries.push(markdown),
    summaries,
  };
}

describe('the outcome of a step', () => {
  test('is told with the address of the artifact that was uploaded before', async () => {
    const host = await mergingJob({ 'check-run': 'true', 'comment-id': 'shop' });

    expect(await action(host)).toBe(1);

    expect(host.outputs.get('artifact-url')).toBe(ARTIFACT);
    expect(host.outputs.get('outcome')).toBe('regressed');
    expect(api.state.comments[0]?.body).toContain(`[Full report](${ARTIFACT})`);
    expect(host.summaries.join('')).toContain(`[the artifact](${ARTIFACT})`);
    expect(api.state.checks).toMatchObject([
      {
        name: 'Wiregauge: shop',
        headSha: HEAD,
        conclusion: 'failure',
        detailsUrl: 'https://github.com/one/service/actions/runs/77',
        summary: host.summaries.join(''),
      },
    ]);
  });

  test('is told all the same where nothing is to be uploaded, without a check run that nobody asked for', async () => {
    const host = await mergingJob({ upload: 'false' });

    expect(await action(host)).toBe(1);

    expect(bench.service.asked).toEqual([]);
    expect(host.state.size).toBe(0);
    expect(host.outputs.has('artifact-url')).toBe(false);
    expect(api.state.comments[0]?.body).toMatch(/Regression: /);
    expect(api.state.comments[0]?.body).not.toContain('Full report');
    expect(api.state.checks).toEqual([]);
  });

  test('stays a verdict where the artifact is refused', async () => {
    bench.service.fail('CreateArtifact', 403);
    const host = await mergingJob({});

    expect(await action(host)).toBe(1);

    expect(host.annotations).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('was not uploaded') }),
    );
    expect(host.outputs.get('outcome')).toBe('regressed');
    expect(api.state.comments).toHaveLength(1);
  });

  test('is told before anything is done for an input that is none', async () => {
    const host = await mergingJob({ upload: 'maybe' });

    expect(await action(host)).toBe(2);

    expect(bench.service.asked).toEqual([]);
    expect(host.outputs.get('outcome')).toBe('incomplete');
    expect(api.state.comments[0]?.body).toMatch(/was not judged: the input \\`upload\\` is "maybe"/);
  });
});
