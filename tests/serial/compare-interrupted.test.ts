import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BASE_TURNS, type CompareProject, compareProject, server } from '../integration/compare-project.ts';
import { type CommandEnd, manifest } from '../integration/project.ts';

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

/** One comparison for all of these tests: it ends in its second round. */
describe('wiregauge compare that is interrupted in mid-round', () => {
  let project: CompareProject;
  let end: CommandEnd;
  /** What each process of the service found: its folder, and the names in its environment. */
  let seen: readonly (readonly [string, readonly string[]])[];

  beforeAll(async () => {
    const options = `import { writeFileSync } from 'node:fs';\nwriteFileSync(process.env.PWD_FILE + '/' + process.pid, JSON.stringify([process.cwd(), Object.keys(process.env).sort()]));\n`;
    const folder = mkdtempSync(join(tmpdir(), 'compare-seen-'));
    project = compareProject();
    project.write('server.mjs', options + server(BASE_TURNS));
    project.write('services/good/service.yml', manifest('good', { PWD_FILE: folder }));
    project.git('commit', '--quiet', '--all', '--message=Telling');
    project.write('server.mjs', `${options}${server(BASE_TURNS)}// changed\n`);
    end = await project.compare([], { onOutput: onceAt(/good round 1 of 8: kept/) });
    seen = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    rmSync(folder, { recursive: true });
  });
  afterAll(() => project.remove());

  test('keeps and judges what was measured', () => {
    const run = project.written();
    expect(end.exitCode).toBe(130);
    expect(run.rounds?.ended).toBe('interrupted');
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept').length).toBeGreaterThanOrEqual(1);
    expect(end.stdout).toMatch(/^Not judged/m);
    expect(project.left()).toEqual([]);
  });

  test('has both versions in folders of equal length, and no environment that distinguishes them', () => {
    const folders = new Set(seen.map(([cwd]) => cwd));
    expect(folders.size).toBe(2);
    expect(new Set([...folders].map((cwd) => cwd.length)).size).toBe(1);
    expect([...folders].join()).not.toMatch(/base|head/);
    expect(new Set(seen.map(([, names]) => names.join())).size).toBe(1);
  });
});
