import { describe, expect, it } from 'vitest';
import { isPublished } from '../../../../src/commands/action/publish.ts';
import { publishOriginOf } from '../../../../src/commands/history/origin.ts';
import { pagesUrl, repositoryPage } from '../../../../src/commands/history/place.ts';
import type { GithubEvent } from '../../../../src/github/event.ts';
import { isOfDefaultBranch } from '../../../../src/history/store/changes.ts';
import { entryOf } from '../../../../src/history/store/run-entry.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const SHA = 'c'.repeat(40);
const push = (isDefaultBranch: boolean): GithubEvent => ({ kind: 'push', isDefaultBranch });
const pull: GithubEvent = {
  kind: 'pull-request',
  number: 1,
  baseSha: SHA,
  baseRef: 'main',
  headSha: SHA,
  isFork: false,
};
const fork: GithubEvent = {
  kind: 'workflow-run',
  runId: 1,
  event: 'pull_request',
  path: 'x.yml',
  headSha: SHA,
};

describe('what enters the history by itself', () => {
  it.each([
    ['a push to the default branch', push(true), [true, true, false]],
    ['a push to another branch', push(false), [false, true, false]],
    ['a schedule', { kind: 'by-schedule' }, [false, true, false]],
    ['a run by hand', { kind: 'by-hand' }, [false, true, false]],
    ['a pull request', pull, [false, false, false]],
    ['what a fork has measured', fork, [false, false, false]],
    ['any other event', { kind: 'other', name: 'issues' }, [false, false, false]],
  ] as const)('of %s, with auto, always and never', (_, event, expected) => {
    expect((['auto', 'always', 'never'] as const).map((setting) => isPublished(event, setting))).toEqual(expected);
  });
});

it('is also a plant on a schedule, which runs on the default branch', () => {
  expect(isPublished({ kind: 'by-schedule' }, 'auto', 'plant')).toBe(true);
  expect(isPublished(pull, 'always', 'plant')).toBe(false);
  expect(isPublished({ kind: 'by-schedule' }, 'never', 'plant')).toBe(false);
});

describe('where a run comes from', () => {
  const workflow = { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'one/service', GITHUB_RUN_ID: '77' };
  const dirty = sampleRun({ change: { commit: { head: SHA, dirty: true } } });

  it.each(['pull_request', 'pull_request_target', 'workflow_run', 'issue_comment', 'merge_group', ''])(
    'is refused for the event "%s"',
    (name) => {
      const environment = { ...workflow, GITHUB_EVENT_NAME: name };

      expect(() => publishOriginOf(sampleRun(), true, environment)).toThrow(/cannot enter the history/);
    },
  );

  it('is determined by the workflow of a push', () => {
    const environment = {
      ...workflow,
      GITHUB_EVENT_NAME: 'push',
      GITHUB_REF_NAME: 'main',
    };

    expect(publishOriginOf(dirty, false, environment)).toEqual({
      repository: 'https://github.com/one/service',
      branch: 'main',
      defaultBranch: undefined,
      runUrl: 'https://github.com/one/service/actions/runs/77',
    });
  });

  it('is not the default branch for a tag, which may be of any branch', () => {
    const tag = { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'main', GITHUB_REF: 'refs/tags/main' };
    const { branch } = publishOriginOf(sampleRun(), false, { ...workflow, GITHUB_EVENT_NAME: 'push', ...tag });
    const entry = entryOf(sampleRun(), { run: 'a', branch });

    expect(branch).toBe('refs/tags/main');
    expect(isOfDefaultBranch(entry, 'main')).toBe(false);
  });

  it('must be a commit on a laptop, unless anything is allowed', () => {
    expect(() => publishOriginOf(dirty, false, {})).toThrow(/uncommitted changes/);
    expect(publishOriginOf(dirty, true, {}).branch).toBeUndefined();
  });
});

describe('addresses', () => {
  it.each([
    ['https://github.com/one/service.git', 'https://github.com/one/service'],
    ['https://***@github.com/one/service', 'https://github.com/one/service'],
    ['git@github.com:one/service.git', 'https://github.com/one/service'],
    ['ssh://git@example.org/one/service', 'https://example.org/one/service'],
    ['../remote.git', undefined],
    ['/srv/git/remote.git', undefined],
    ['file:///srv/git/remote.git', undefined],
    ['https://example.org/"><script>', undefined],
  ])('%s has the page %s', (address, page) => {
    expect(repositoryPage(address)).toBe(page);
  });

  it.each([
    ['https://github.com/One/service', 'https://one.github.io/service/performance/'],
    ['https://github.com/one/One.github.io', 'https://one.github.io/performance/'],
    ['https://example.org/one/service', undefined],
    [undefined, undefined],
  ])('%s is shown at %s', (repository, url) => {
    expect(pagesUrl(repository, 'performance')).toBe(url);
  });
});
