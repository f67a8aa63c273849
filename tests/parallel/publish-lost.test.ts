import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { historyListCommand, historyShowCommand } from '../../src/commands/history/list.ts';
import { publish } from '../../src/commands/history/publish.ts';
import { historyRepairCommand } from '../../src/commands/history/repair.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { publishFrom, publishPerTest } from '../integration/publish-bench.ts';
import { FLAGS, printedPerTest, runFile } from './publish-command-bench.ts';

const bench = publishPerTest();

const INDEX = 'performance/history/index.json';

const NOTE = 'refs/wiregauge/history/gh-pages-performance';

const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');

const note = () => gitIn(bench.remote, 'rev-parse', NOTE);

const lostThere = () => readIndex(bench.text(INDEX), INDEX).lost;

const force = (commit: string) => gitIn(bench.remote, 'update-ref', 'refs/heads/gh-pages', commit);

const minute = (number: number) => `2026-11-01T00:0${number}:00.000Z`;

/** The branch made anew with nothing but a page of documents. */
function madeAnew(): void {
  const folder = join(bench.scene.folder, 'anew');
  gitIn(bench.scene.folder, 'init', '--quiet', '-b', 'gh-pages', folder);
  writeFileSync(join(folder, 'index.html'), 'documents\n');
  gitIn(folder, 'add', '--all');
  gitIn(folder, 'commit', '--quiet', '-m', 'Documents');
  gitIn(folder, 'push', '--quiet', '--force', bench.remote, 'gh-pages');
}

/** Runs 1 to 3 are published; gives the commit of each. */
const threeRuns = () => bench.begun(publishThree);

async function publishThree(): Promise<readonly string[]> {
  bench.seed('gh-pages');
  const commits: string[] = [];
  for (const number of [1, 2, 3]) {
    await publishFrom(bench, numberedRun(number));
    commits.push(tip());
  }
  return commits;
}

describe('runs that were there before', () => {
  it('are missed by the next run after the branch was forced back', async () => {
    const [first = '', , third = ''] = await threeRuns();
    force(first);

    const { lost } = await publishFrom(bench, numberedRun(4));

    expect(lost).toEqual({ runs: 2, from: minute(2), to: minute(3), commit: third });
    expect(lostThere()).toEqual({ ...lost, noticed: minute(4) });
  });

  it('are missed by the next run after the branch was recreated', async () => {
    await threeRuns();
    madeAnew();

    expect((await publishFrom(bench, numberedRun(4))).lost).toMatchObject({ runs: 3 });
    expect(bench.text('index.html')).toBe('documents\n');
  });

  it('are missed after the branch was removed', async () => {
    await threeRuns();
    gitIn(bench.remote, 'update-ref', '-d', 'refs/heads/gh-pages');

    expect((await publishFrom(bench, numberedRun(4), { createBranch: true })).lost).toMatchObject({ runs: 3 });
  });

  it('are reported once, and stay noted with those lost later', async () => {
    const [first = '', second = ''] = await threeRuns();
    force(second);
    await publishFrom(bench, numberedRun(4));
    const fourth = tip();

    expect((await publishFrom(bench, numberedRun(5))).lost).toBeUndefined();
    expect(lostThere()).toMatchObject({ runs: 1, noticed: minute(4) });
    force(fourth);
    await publishFrom(bench, numberedRun(6));
    expect(lostThere()).toMatchObject({ runs: 2, from: minute(3), to: minute(5), noticed: minute(6) });
    expect(first).not.toBe(fourth);
  });

  it('are not missed if someone else only adds to the branch', async () => {
    await threeRuns();
    const folder = bench.clone('other');
    gitIn(folder, 'checkout', '--quiet', 'gh-pages');
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/index.html'), 'documents\n');
    gitIn(folder, 'add', '--all');
    gitIn(folder, 'commit', '--quiet', '-m', 'Documents');
    gitIn(folder, 'push', '--quiet', 'origin', 'gh-pages');

    expect((await publishFrom(bench, numberedRun(4))).lost).toBeUndefined();
    expect(lostThere()).toBeUndefined();
  });

  it('are not missed in another folder of the branch', async () => {
    await threeRuns();
    const [tipBefore] = [tip()];

    expect((await publishFrom(bench, numberedRun(4), { folder: 'other' })).lost).toBeUndefined();
    expect(note()).toBe(tipBefore);
  });

  it('are not known of a server that takes no such ref, which gets the run all the same', async () => {
    const hook = join(bench.remote, 'hooks/update');
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in refs/wiregauge/*) exit 1 ;; esac\n');
    chmodSync(hook, 0o755);
    const [first = ''] = await publishThree();
    force(first);

    expect(await publishFrom(bench, numberedRun(4))).toMatchObject({ outcome: 'written', lost: undefined });
    expect(note).toThrow();
  });
});

describe('commands on a history that lost runs', () => {
  const printed = printedPerTest(bench);
  const PLACE = { remote: 'origin', branch: 'gh-pages', branchFolder: 'performance' };

  beforeEach(async () => {
    const [first = ''] = await threeRuns();
    force(first);
  });

  afterEach(() => vi.restoreAllMocks());

  const TEXT = /2 runs that were in this history are gone: measured on 2026-11-01\. They are in commit [0-9a-f]{40}: /;

  it('say so: publish with a warning, list and show next to what was asked for', async () => {
    await historyListCommand({ ...PLACE, last: 5 });
    expect(printed.text).toMatch(TEXT);
    printed.text = '';
    await historyShowCommand('run-2026-11-01T00-01', PLACE);
    expect(printed.text).toMatch(TEXT);

    printed.text = '';
    await publish(runFile(bench), FLAGS);
    expect(printed.text).toMatch(TEXT);
    expect(printed.text).toContain(' in gh-pages:performance');
    printed.text = '';
    await historyListCommand({ ...PLACE, last: 5 });
    expect(printed.text).toContain('gone, since before the run of 2026-11-21 was published: measured on 2026-11-01');
  });

  it('say so in a workflow on its page', async () => {
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    vi.stubEnv('GITHUB_EVENT_NAME', 'push');
    vi.stubEnv('GITHUB_REF_NAME', 'main');

    await publish(runFile(bench), FLAGS);
    vi.unstubAllEnvs();

    expect(printed.text).toMatch(/^::warning title=Wiregauge::2 runs that were in this history are gone/m);
  });

  it('say so as data', async () => {
    await historyListCommand({ ...PLACE, last: 5, json: true });

    expect(printed.text).toMatch(/"lost": \{\s+"runs": 2,/);
  });

  it('repair leaves it at that if it is meant so', async () => {
    await publish(runFile(bench), FLAGS);
    printed.text = '';

    await historyRepairCommand(PLACE);
    expect(printed.text).toMatch(/2 runs that were in this history are gone.*; the index would no longer record this/);
    await historyRepairCommand({ ...PLACE, yes: true });
    expect(lostThere()).toBeUndefined();
    printed.text = '';
    await historyListCommand({ ...PLACE, last: 5 });
    expect(printed.text).not.toContain('gone');
  });
});
