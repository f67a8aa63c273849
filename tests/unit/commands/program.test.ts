import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../../src/commands/program.ts';

describe('a command line', () => {
  let complaint = '';
  beforeEach(() => {
    complaint = '';
    vi.stubEnv('GITHUB_ACTIONS', undefined);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      complaint += String(text);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  test.each([
    [['compare', '--bas', 'main'], /unknown option '--bas'\s+\(Did you mean --base\?\)/],
    [['compare'], /required option '--base <ref>' not specified/],
    [['compare', '--suite', 'users'], /required option '--base <ref>' not specified/],
    [['publish-comment', 'run.json', '--pullrequest', 'a/b#1'], /unknown option[\s\S]*Did you mean --pull-request\?/],
    [['publish-comment', 'run.json'], /required option '--pull-request <name>' not specified/],
    [['publish-fork-comment', '--head-sah', 'x'], /unknown option[\s\S]*Did you mean --head-sha\?/],
    [['publish-fork-comment', '--repository', 'a/b'], /required option '--workflow-run <id>' not specified/],
  ])('that has a mistake is refused with the mistake itself: %j', async (argv, words) => {
    expect(await runCommandLine(argv)).toBe(2);
    expect(complaint).toMatch(words);
  });

  test('is told to the page of a workflow run, too', async () => {
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    let printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });

    await runCommandLine(['compare', '--bas', 'main']);

    expect(printed).toBe("::error title=Wiregauge::unknown option '--bas'%0A(Did you mean --base?)\n");
  });
});
