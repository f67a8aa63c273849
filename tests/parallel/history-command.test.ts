import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';

const PREFIX = 'window.BENCHMARK_DATA = ';

function gabScript(dates: readonly number[]): string {
  const runs = dates.map((date, index) => ({
    commit: {
      committer: { username: 'a' },
      id: `c${index}`.padEnd(40, '0'),
      message: `Commit ${index}`,
      url: 'https://x.test/',
    },
    date,
    tool: 'cargo',
    benches: [{ name: 'fib', value: 100 + index, range: '± 1', unit: 'ns/iter' }],
  }));
  const data = { lastUpdate: dates.at(-1) ?? 0, repoUrl: 'https://github.com/o/n', entries: { Rust: runs } };
  return PREFIX + JSON.stringify(data, null, 2);
}

const DAY = 86_400_000;
const DATES = Array.from({ length: 250 }, (_, index) => Date.UTC(2024, 0, 1) + index * (DAY / 2));

describe('wiregauge history', () => {
  let root = '';
  let printed = '';
  let complaint = '';
  const folder = (): string => join(root, 'performance');
  const history = async (...argv: readonly string[]): Promise<number> => {
    printed = '';
    complaint = '';
    return await runCommandLine(['history', ...argv, '--folder', folder()]);
  };
  const files = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(folder(), 'history')).map((name) => [
        name,
        readFileSync(join(folder(), 'history', name), 'utf8'),
      ]),
    );

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'wiregauge-history-'));
    vi.stubEnv('GITHUB_ACTIONS', undefined);
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      complaint += String(text);
      return true;
    });
    writeFileSync(join(root, 'data.js'), gabScript(DATES));
    await history('import', join(root, 'data.js'), '--format', 'github-action-benchmark');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });

  it('gives a data.js back as it was imported, and imports it once', async () => {
    const before = files();

    expect(await history('import', join(root, 'data.js'), '--format', 'github-action-benchmark')).toBe(0);
    expect(printed).toContain('the 250 runs of');
    expect(printed).toContain('already has the');
    expect(files()).toEqual(before);

    const out = join(root, 'again', 'data.js');
    expect(await history('export', '--format', 'github-action-benchmark', '--out', out)).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(gabScript(DATES));
    expect(Object.keys(before).sort()).toEqual([
      '2024-01.jsonl',
      '2024-02.jsonl',
      '2024-03.jsonl',
      '2024-04.jsonl',
      '2024-05.jsonl',
      'changes.json',
      'index.json',
    ]);
  });

  it('lists the newest runs, and shows one by the beginning of its id', async () => {
    expect(await history('list', '--last', '3')).toBe(0);
    const lines = printed.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('Commit 249');

    const [run = ''] = lines[1]?.split(' ') ?? [];
    expect(await history('show', run.slice(0, 8))).toBe(0);
    expect(printed).toMatch(/Commit 249[\s\S]*349 ns\/iter/);
    expect(await history('show', 'zzz')).toBe(2);
    expect(complaint).toContain('has no run whose ID starts with "zzz"');
  });

  it('imports into a folder with the page that shows it', () => {
    expect(readdirSync(folder())).toEqual(expect.arrayContaining(['history', 'index.html', 'page.css', 'page.js']));
  });

  it('shows the changes that begin with a run', async () => {
    const rows = Array.from({ length: 40 }, (_, place) => {
      const at = new Date(Date.UTC(2026, 0, 1 + place)).toISOString();
      return `${at},stepped,time,${place < 25 ? 100 : place === 25 ? 116 : 130 + (place % 3)},lower,c${place}`;
    });
    writeFileSync(join(root, 'step.csv'), ['at,suite,metric,value,better,commit', ...rows, ''].join('\n'));
    await history('import', join(root, 'step.csv'), '--format', 'csv');
    const { changes } = JSON.parse(readFileSync(join(folder(), 'history', 'changes.json'), 'utf8'));
    const [{ run, before, after }] = changes;

    expect(await history('show', run)).toBe(0);
    expect(printed).toMatch(/Changes that start with this run\ncell +metric +median +change +since\n/);
    expect(printed).toMatch(/100 +to 131 +\+31% +15 runs\n/);
    expect(printed).toContain('- this run or its neighbor, c26\n');
    expect(await history('show', run, '--json')).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ run: { run }, changes: [{ run, before, after }] });
  });

  it.each(['json', 'csv'])('moves to another folder as %s', async (format) => {
    const out = join(root, `export.${format}`);
    expect(await history('export', '--format', format, '--out', out)).toBe(0);
    await history('export', '--format', 'csv');
    const before = printed;

    const other = join(root, 'other');
    expect(await runCommandLine(['history', 'import', out, '--format', format, '--folder', other])).toBe(0);
    printed = '';
    expect(await runCommandLine(['history', 'export', '--format', 'csv', '--folder', other])).toBe(0);

    expect(printed).toBe(before);
  });

  it('takes custom figures of either direction', async () => {
    const file = join(root, 'figures.json');
    writeFileSync(file, JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5 }]));
    for (const format of ['custom-smaller', 'custom-bigger']) {
      const at = '2026-11-21T10:00:00Z';
      expect(await history('import', file, '--format', format, '--suite', 'mine', '--commit', 'abc', '--at', at)).toBe(
        0,
      );
    }

    await history('export', '--format', 'csv', '--suite', 'mine');
    expect(
      printed
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(',').slice(-5, -2)),
    ).toEqual([
      ['value', 'ms', 'lower'],
      ['value', 'ms', 'higher'],
    ]);
  });

  it('deletes runs only on request, and reports before which', async () => {
    const before = files();
    expect(await history('thin', '--keep', '30d')).toBe(0);
    expect(printed).toContain('nothing was written');
    expect(await history('thin', '--keep', '30d', '--yes', '--dry-run')).toBe(0);
    expect(files()).toEqual(before);

    expect(await history('thin', '--keep', '30d', '--yes')).toBe(0);
    expect(printed).toMatch(/2024-01\.jsonl: \d+ of 62 runs are deleted/);
    const { length } = Object.values(files()).join('');
    expect(length).toBeLessThan(Object.values(before).join('').length / 3);
    expect(await history('list', '--last', '1000')).toBe(0);
    expect(await history('thin', '--keep', '30d')).toBe(0);
    expect(printed).toContain('all runs are kept');
    expect(await history('thin', '--keep', 'soon')).toBe(2);
  });

  it.each([
    ['cut short', 'history/2024-05.jsonl', (text: string) => text.slice(0, -20), 'cut short'],
    [
      'of a newer schema',
      'history/2024-05.jsonl',
      (text: string) => text.replaceAll('"schema":1', '"schema":2'),
      'schema 2',
    ],
    ['cut short', 'history/index.json', (text: string) => text.slice(0, -20), 'cut short'],
    [
      'damaged',
      'history/changes.json',
      (text: string) => text.replace('"changes"', '"chances"'),
      'changes is not a list',
    ],
  ])('stops at a file that is %s, and leaves it as it is: %s', async (...[, path, damage, why]) => {
    const file = join(folder(), path);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const before = files();
    const more = join(root, 'figures.json');
    writeFileSync(more, JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5 }]));

    const code = await history('import', more, '--format', 'custom-smaller', '--at', '2024-05-04T00:00:00Z');

    expect(code).toBe(2);
    expect(complaint).toContain(`${path}:`);
    expect(complaint).toContain(why);
    expect(files()).toEqual(before);
  });

  it('stops at a file that is not valid UTF-8, and does not write it back as another', async () => {
    const file = join(folder(), 'history/2024-05.jsonl');
    const bytes = Buffer.from(
      readFileSync(file, 'latin1').replace('"subject":"Commit', '"subject":"C\xf6mmit'),
      'latin1',
    );
    writeFileSync(file, bytes);
    const more = join(root, 'figures.json');
    writeFileSync(more, JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5 }]));

    const code = await history('import', more, '--format', 'custom-smaller', '--at', '2024-05-04T00:00:00Z');

    expect(code).toBe(2);
    expect(complaint).toMatch(/2024-05\.jsonl: cannot be read: .*utf-8/i);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('says where there is no history, and that a file cannot be imported', async () => {
    expect(await runCommandLine(['history', 'list', '--folder', join(root, 'nowhere')])).toBe(2);
    expect(complaint).toContain('there is no history in');
    writeFileSync(join(root, 'data.js'), 'alert(1)');
    expect(await history('import', join(root, 'data.js'), '--format', 'github-action-benchmark')).toBe(2);
    expect(complaint).toContain('starts with neither');
    expect(await history('import', join(root, 'data.js'))).toBe(2);
    expect(complaint).toContain("required option '--format <name>' not specified");
  });

  it('reads and writes the branch of a remote where no folder is named', async () => {
    const git = (cwd: string, ...argv: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x.test', ...argv], { cwd, encoding: 'utf8' });
    const [bare, clone] = [join(root, 'bare.git'), join(root, 'clone')];
    mkdirSync(bare);
    git(bare, 'init', '--bare', '--quiet');
    git(root, 'clone', '--quiet', bare, clone);
    vi.spyOn(process, 'cwd').mockReturnValue(clone);
    const file = join(root, 'data.js');

    const argv = ['history', 'import', file, '--format', 'github-action-benchmark', '--create-branch'];
    expect(await runCommandLine(argv)).toBe(0);
    printed = '';
    expect(await runCommandLine(['history', 'export', '--format', 'github-action-benchmark'])).toBe(0);

    expect(printed).toBe(gabScript(DATES));
    expect(git(bare, 'ls-tree', '-r', '--name-only', 'gh-pages')).toContain('performance/history/2024-01.jsonl');
    expect(existsSync(join(clone, 'performance'))).toBe(false);
  });
});
