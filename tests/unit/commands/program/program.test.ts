import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reportFailure } from '../../../../src/commands/program/failure.ts';
import { runCommandLine } from '../../../../src/commands/program/program.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

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
    [
      ['run', '--runtime', 'containers'],
      /Allowed choices are auto, docker, process, kubernetes, both\.\s+Did you mean docker\?/,
    ],
    [
      ['compare', '--runtime', 'local'],
      /Allowed choices are auto, docker, process, kubernetes\.\s+Did you mean process\?/,
    ],
    [['run', '--runtime', 'podman'], /Allowed choices are auto, docker, process, kubernetes, both\.\n/],
    [
      ['compare', 'HEAD~1'],
      /too many arguments[^\n]*\nName the version to compare with by --base: `wiregauge compare --base main`\.\n/,
    ],
    [['compare', '--quiet'], /unknown option '--quiet'\n {2}More:/],
    [['compare', '--threshold', '5%'], /unknown option '--threshold'\nThresholds are in `policy:` of wiregauge\.yml/],
    [['run', '--operation', 'Get'], /unknown option '--operation'\n\(Did you mean --operations\?\)\n/],
    [['shards', 'plan', '--shards', '257'], /whole number from 1 to 256/],
    [
      ['publish', '--to', 'comment', 'run.json', '--pullrequest', 'a/b#1'],
      /unknown option[\s\S]*Did you mean --pull-request\?/,
    ],
    [['publish', '--to', 'comment', 'run.json'], /required option '--pull-request <name>' not specified/],
    [['github', 'fork-comment', '--head-sah', 'x'], /unknown option[\s\S]*Did you mean --head-sha\?/],
    [['github', 'fork-comment', '--repository', 'a/b'], /required option '--workflow-run <id>' not specified/],
  ])('that has a mistake is refused with the mistake itself: %j', async (argv, words) => {
    expect(await runCommandLine(argv)).toBe(2);
    expect(complaint).toMatch(words);
  });

  test.each([
    'lost\n::save-state name=results::/',
    'lost\r\n\u0085 \u200b::save-state name=results::/',
    'lost ##[save-state name=results;]/',
    'lost ###[save-state name=results;]/\n::::add-mask::x',
  ])('says nothing that a workflow would take for a command: %j', (message) => {
    const taken = () => complaint.split(/[\r\n]+/).filter((line) => /^[^\p{L}\p{N}]*::|##\[/u.test(line));

    reportFailure(new ConfigError(message));
    expect(taken().length).toBeGreaterThan(0);
    complaint = '';
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    reportFailure(new ConfigError(message));
    reportFailure(new Error(message));

    expect(complaint).toMatch(/save-state[\s\S]*save-state/);
    expect(taken()).toEqual([]);
  });

  test('reports a full disk, for each kind of writer, without a stack', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: '/out/a' });

    expect(reportFailure(full)).toBe(2);
    expect(complaint).toMatch(
      /^wiregauge: \/out\/a cannot be written: the disk is full \(ENOSPC\)\n {2}Free some space/,
    );
    expect(complaint).not.toMatch(/^\s+at /m);
  });

  test('lets no answer of a service steer the terminal or fill it', () => {
    const answer = `503: \u001b[2J\u001b]0;title\u0007\u009b31m\u202e${'x'.repeat(100_000)}`;

    reportFailure(new ConfigError(`shop: answers\n  ${answer}`, { next: answer }));
    reportFailure(new Error(answer));

    expect(complaint).toMatch(/^wiregauge: shop: answers\n {2}503: /);
    expect(complaint.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(complaint.length).toBeLessThan(40_000);
  });

  test('prints nothing for a workflow if standard output has a document', async () => {
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    expect(await runCommandLine(['judge', 'nothing.json', '--json'])).toBe(2);

    const document = printed.mock.calls.map(([text]) => String(text)).join('');
    expect(JSON.parse(document)).toEqual({
      schema: 1,
      command: 'judge',
      error: {
        code: 'WG-107',
        message: 'nothing.json: there is no such file',
        next: 'Pass the run.json that `wiregauge run` wrote to its output folder.',
      },
    });
    expect(complaint).toMatch(
      /^wiregauge: nothing\.json: .*\n {2}.*\n {2}More: .*\n::error title=Wiregauge WG-107::nothing\.json/,
    );
  });

  test('gives the name of the command in a document, also if its words are wrong', async () => {
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

    expect(await runCommandLine(['history', 'list', '--json', '--lst', '5'])).toBe(2);

    expect(JSON.parse(String(printed.mock.calls[0]?.[0]))).toMatchObject({
      command: 'history list',
      error: { code: 'WG-101', message: expect.stringContaining('--lst'), next: '' },
    });
  });

  test('ends with its code, and where that is explained', () => {
    reportFailure(new ConfigError('no', { code: 'WG-104', next: 'Do.' }));
    expect(complaint).toBe(
      'wiregauge: no\n  Do.\n  More: wiregauge explain WG-104, or https://wiregauge.github.io/wiregauge/docs/errors/wg-104.html\n',
    );

    complaint = '';
    reportFailure(new Error('odd'));
    expect(complaint).toMatch(/\n {2}More: wiregauge explain WG-900, .*\n$/);
  });

  test('has no code if the help was asked for', async () => {
    expect(await runCommandLine([])).toBe(2);

    expect(complaint).not.toContain('WG-');
  });

  test('is also reported on the page of a workflow run', async () => {
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    let printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });

    await runCommandLine(['compare', '--bas', 'main']);

    expect(printed).toBe("::error title=Wiregauge WG-101::unknown option '--bas'%0A(Did you mean --base?)\n");
  });
});
