import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildArgsText } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';
import { type CompareProject, compareProject } from './compare-project.ts';
import { IMAGE_TURNS, leftInEngine, newInEngine, writeImage } from './docker-project.ts';

describe.runIf(requires('docker'))('wiregauge compare in containers', () => {
  let project: CompareProject;
  beforeEach(() => {
    project = compareProject();
    writeImage(project);
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=In a container');
  });
  afterEach(() => project.remove());

  test('finds a slowdown of the working tree, and leaves no container, image tag or network behind', async () => {
    const before = leftInEngine();
    writeImage(project, 3 * IMAGE_TURNS);

    const environment = { WIREGAUGE_BUILD_ARGS: buildArgsText() };
    const { exitCode, stdout, stderr } = await project.compare(['--runtime', 'docker'], { environment });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^Regression: /m);
    expect(exitCode).toBe(1);
    const run = project.written();
    expect(run.runtime.name).toBe('docker');
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(10);
    expect(readFileSync(`${project.out}/report.md`, 'utf8')).toContain('Regression');
    expect(newInEngine(before)).toEqual([]);
    expect(project.left()).toEqual([]);
  });
});
