import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CompareProject, compareProject } from '../integration/compare-project.ts';
import { type CommandEnd, manifest } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';

let project: CompareProject;
beforeEach(() => {
  project = compareProject();
});
afterEach(() => project.remove());

describe('wiregauge compare refuses', () => {
  test('two at once on one machine, if it is not to wait: the second names the first', async () => {
    let second: Promise<CommandEnd> | undefined;
    await project.compare(['--always'], {
      onOutput: (text, kill) => {
        if (/^plan:/m.test(text) && second === undefined) {
          second = project.compare(['--out', join(project.out, 'second'), '--wait', '0s']);
          void second.then(() => kill('SIGINT'));
        }
      },
    });
    expectRefusal((await second) as CommandEnd, /wiregauge compare/);
  });

  const build = (command: readonly string[]) =>
    JSON.stringify({
      ...JSON.parse(manifest('good', {})),
      process: { build: [command], command: ['node', 'server.mjs'] },
    });

  test('a base that does not build, and says that it is the base', async () => {
    project.write('services/good/service.yml', build(['false']));
    project.git('commit', '--quiet', '--all', '--message=Broken');
    project.write('services/good/service.yml', build(['true']));
    const end = await project.compare([]);
    expectRefusal(end, /base \(main, [0-9a-f]{7}\): good cannot be built/);
    // Its folder is gone by now.
    expect(end.stderr).toMatch(/Check out [0-9a-f]{10}\. Run `false` in the root of the repository/);
    expect(end.stderr).not.toContain(tmpdir());
    expect(project.left()).toEqual([]);
  });

  test('nothing of a base that does not build with the configuration of the head: it is a first run', async () => {
    project.write('new.txt', 'not in the base\n');
    project.write('services/added/service.yml', build(['test', '-f', 'new.txt']).replace('"good"', '"added"'));
    const end = await project.compare(['--services', 'added']);
    expect(end.stdout).toContain('First run: this pull request adds The good service. The next one gets a verdict.');
    expect(end.exitCode).toBe(0);
    expect(project.left()).toEqual([]);
  });

  test('a budget that does not do for eight rounds', async () => {
    expectRefusal(
      await project.compare(['--budget', '20s']),
      /a budget of 20 s is too small: 8 rounds of profile smoke take about/,
    );
  });

  test('a ref that there is none of, and a folder that is not a repository', async () => {
    expectRefusal(await project.compare(['--base', 'nothing-of-the-kind']), /nothing-of-the-kind/);
    rmSync(join(project.root, '.git'), { recursive: true });
    expectRefusal(await project.compare([]), /repository/);
  });

  test('a file of accepted regressions that cannot be read, with its line', async () => {
    project.write('.wiregauge/accepted.yml', '- metric: cpuMicrosPerRequest\n  upTo: lots\n');
    expectRefusal(await project.compare([]), /\.wiregauge\/accepted\.yml:\d+/);
  });
});

describe('a head that fails by itself', () => {
  /** What the comparison left, and how it ended. */
  async function failed(): Promise<string> {
    const end = await project.compare([]);
    expect([end.exitCode, end.stderr]).toEqual([1, '']);
    expect(project.left()).toEqual([]);
    const report = readFileSync(join(project.out, 'report.md'), 'utf8');
    expect(report).toMatch(/^\*\*Failed in head only: The good service \(.*exit code [37]/m);
    return report;
  }

  test('does so in the same words, with the same exit code, whether it does not build or crashes', async () => {
    const { process: source, ...rest } = JSON.parse(manifest('good', {}));
    const build = [['sh', '-c', 'echo "panic: no more"; seq 1 60; exit 7']];
    project.write('services/good/service.yml', JSON.stringify({ ...rest, process: { ...source, build } }));
    expect(await failed()).toMatch(/```text\npanic: no more\n…\n[\s\S]*\n60\n```/);

    project.write('services/good/service.yml', JSON.stringify({ ...rest, process: source }));
    project.write('server.mjs', 'console.log("panic: no more"); process.exit(3);');
    expect(await failed()).toMatch(/```text\npanic: no more\n```/);
  });
});
