import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BASE_TURNS, type CompareProject, compareProject, SMALL_SUITE, server } from './compare-project.ts';
import { manifest, wiregauge } from './project.ts';

let project: CompareProject;
beforeEach(() => {
  project = compareProject();
});
afterEach(() => project.remove());

/** Sends Ctrl-C when the output says so, and only once: a second one would end the program at once. */
function onceAt(words: RegExp) {
  let isSent = false;
  return (output: string, kill: (signal: NodeJS.Signals) => void): void => {
    if (!isSent && words.test(output)) {
      isSent = true;
      kill('SIGINT');
    }
  };
}

describe('wiregauge compare', () => {
  test('finds a slowdown in the working tree, says so first and fails, names a service that is new, and leaves the checkout as it was', async () => {
    project.write('suites/small.yml', SMALL_SUITE.replace('[good]', '[good, added]'));
    project.write('services/added/service.yml', manifest('added', {}));
    project.write('server.mjs', server(2 * BASE_TURNS));
    const before = project.git('status', '--porcelain');

    const { exitCode, stdout } = await project.compare([]);

    const run = project.written();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^plan: main against working tree; good; saturation and 1 tiers; 10 to 10 rounds/m);
    expect(stdout).toMatch(/^Regression: /m);
    expect(stdout).toMatch(/added.*new/i);
    expect(run.rounds?.head.services).toEqual(['good', 'added']);
    expect(run.rounds?.base).toMatchObject({ ref: 'main', dirty: false });
    expect(run.rounds?.head).toMatchObject({ ref: 'working tree', dirty: true });
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(10);
    expect(readFileSync(join(project.out, 'report.md'), 'utf8')).toContain('Regression');
    expect(project.git('status', '--porcelain')).toBe(before);
    expect(project.left()).toEqual([]);

    const again = await wiregauge(['judge', join(project.out, 'run.json')]);
    expect(again.exitCode).toBe(1);
    expect(stdout).toContain(again.stdout.trim().split('\n')[0]);
    project.write('lenient.yml', 'thresholds: [{ threshold: 900% }]\n');
    const other = await wiregauge([
      'judge',
      join(project.out, 'run.json'),
      '--policy',
      join(project.root, 'lenient.yml'),
      '--json',
    ]);
    // What the base does not have is no reason to fail, nor one to be without a verdict.
    expect(other.exitCode).toBe(0);
    expect(JSON.parse(other.stdout)).toMatchObject({ exitCode: 0 });
  });

  test('a head that dies under load is a finding that fails, with the other service measured', async () => {
    project.write('suites/small.yml', SMALL_SUITE.replace('[good]', '[good, other]'));
    project.write('services/other/service.yml', manifest('other', {}));
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=Two services');
    project.write('services/other/service.yml', manifest('other', { FAULT: 'dies' }));
    project.write(
      'server.mjs',
      `${server(BASE_TURNS)}if (process.env.FAULT === 'dies') setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1200);\n`,
    );

    const { exitCode, stdout } = await project.compare([]);

    const rounds = project.written().rounds?.rounds ?? [];
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/failed/i);
    const failed = rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ service, failure }) => `${service} ${failure?.side}`)).toEqual(['other head', 'other head']);
    expect(rounds.filter(({ service, outcome }) => service === 'good' && outcome === 'kept')).toHaveLength(10);
  });

  test('after Ctrl-C in mid-round, what was measured is kept and judged', async () => {
    const { exitCode, stdout } = await project.compare([], {
      onOutput: onceAt(/good round 2 of 10: kept/),
    });

    const run = project.written();
    expect(exitCode).toBe(130);
    expect(run.rounds?.ended).toBe('interrupted');
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept').length).toBeGreaterThanOrEqual(2);
    expect(stdout).toMatch(/^Not judged/m);
    expect(project.left()).toEqual([]);
  });

  test('both versions stand in folders of equal length, and no environment tells them apart', async () => {
    const telling = `import { writeFileSync } from 'node:fs';\nwriteFileSync(process.env.PWD_FILE + '/' + process.pid, JSON.stringify([process.cwd(), Object.keys(process.env).sort()]));\n`;
    const folder = mkdtempSync(join(tmpdir(), 'compare-seen-'));
    project.write('server.mjs', telling + server(BASE_TURNS));
    project.write('services/good/service.yml', manifest('good', { PWD_FILE: folder }));
    project.git('commit', '--quiet', '--all', '--message=Telling');
    project.write('server.mjs', `${telling}${server(BASE_TURNS)}// changed\n`);
    await project.compare([], {
      onOutput: onceAt(/good round 1 of 10: kept/),
    });
    const seen = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    rmSync(folder, { recursive: true });
    const folders = new Set(seen.map(([cwd]) => cwd));
    expect(folders.size).toBe(2);
    expect(new Set([...folders].map((cwd) => cwd.length)).size).toBe(1);
    expect([...folders].join()).not.toMatch(/base|head/);
    expect(new Set(seen.map(([, names]) => names.join())).size).toBe(1);
  });
});
