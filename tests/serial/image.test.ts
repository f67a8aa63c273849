import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheFolder } from '../../src/host/files/own-folders.ts';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { connectEngine } from '../../src/runtime/docker/engine.ts';
import { buildImage } from '../../src/runtime/docker/images/build.ts';
import { driverFromImage } from '../../src/runtime/docker/tools.ts';
import { driverVersion } from '../../src/runtime/driver/source.ts';
import { containersOf, OWNER } from '../integration/docker-bench.ts';
import { docker } from '../integration/docker-command.ts';
import { writeImage } from '../integration/docker-project.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { type CommandEnd, makeProject } from '../integration/project.ts';
import { buildArgsForTests, buildArgsText } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';
import { sampleRounds } from '../support/sample-rounds.ts';

/** On a machine that has none of the layers yet: Go compiles the driver. */
const WITH_BUILDS_MS = 900_000;

// Both images have the layers of the driver, which is then compiled once.
const root = resolve('.');
const buildArgs = { ...buildArgsForTests(), DRIVER_SOURCE: driverVersion(root) };

describe.runIf(requires('docker'))('the image of the load driver', () => {
  test(
    'gives the driver, ready to run, and leaves no container',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tools-image-'));
      const signal = AbortSignal.timeout(WITH_BUILDS_MS);

      await driverFromImage(folder, { root, buildArgs, owner: OWNER }, signal);

      expect(readdirSync(folder)).toEqual(['wiregauge-load']);
      const version = execFileSync(join(folder, 'wiregauge-load'), ['version'], { encoding: 'utf8' });
      expect(version.trim()).toBe(driverVersion(root));
      expect(await containersOf(await connectEngine(), OWNER)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
    WITH_BUILDS_MS,
  );
});

describe.runIf(requires('docker'))("the image of Wiregauge's command line", () => {
  let image = '';
  let folder = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-'));
    // For the image's own user, who is neither root nor the owner.
    chmodSync(folder, 0o755);
    const source = { context: '.', dockerfile: 'Dockerfile', target: 'cli' };
    image = await buildImage(await connectEngine(), { root, source, buildArgs }, AbortSignal.timeout(WITH_BUILDS_MS));
  }, WITH_BUILDS_MS);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    if (image !== '') {
      docker('image', 'rm', '--force', image);
    }
  });

  /** `docker run` with those options of its own, and the command line. */
  function runIn(options: readonly string[], ...argv: readonly string[]): CommandEnd {
    const { status, stdout, stderr } = spawnSync('docker', ['run', '--rm', ...options, image, ...argv], {
      encoding: 'utf8',
    });
    return { exitCode: status, stdout, stderr };
  }

  test('is run by a user without rights', () => {
    expect(docker('image', 'inspect', '--format', '{{.Config.User}}', image)).toBe('10001:10001');
  });

  test('lists the commands, without a command too, and writes nothing', () => {
    const { exitCode, stdout, stderr } = runIn(['--network', 'none', '--read-only'], '--help');

    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('Usage: wiregauge ');
    expect(runIn(['--network', 'none', '--read-only']).stdout).toBe(stdout);
  });

  test('has the driver, whole and of this version', () => {
    const { exitCode, stdout, stderr } = runIn(['--network', 'none', '--read-only'], 'cache', 'fetch');

    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout.match(/from the runner's tool cache, checked in/g)).toHaveLength(1);
    expect(stdout).toContain('/opt/load-tools/wiregauge-load/');
  });

  test('has what counts instructions, of plain processes and in containers', () => {
    const { stdout, stderr } = runIn(['--network', 'none', '--read-only'], 'doctor', '--runtime', 'process');

    expect(stdout, stderr).toMatch(/Valgrind 3\.\S+ can count them for plain processes and in containers/);
  });

  test('judges a run in the folder that is mounted', () => {
    const run = sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] });
    writeFileSync(join(folder, 'run.json'), formatRun(run));

    const { exitCode, stdout, stderr } = runIn(
      ['--network', 'none', '--volume', `${folder}:/work`],
      'judge',
      'run.json',
    );

    expect(exitCode, stderr).toBe(1);
    expect(stdout).toMatch(/^Regression: /);
  });

  test("measures by the machine's engine, where it sees that and the folders as the machine does", async () => {
    const project = makeProject();
    try {
      writeImage(project);
      await realLoadTools();
      const cache = cacheFolder(process.env);

      const { exitCode, stdout, stderr } = runIn(
        [
          ...['--network', 'host', '--pid', 'host'],
          ...['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`],
          ...['--group-add', String(statSync('/var/run/docker.sock').gid)],
          ...['--volume', '/var/run/docker.sock:/var/run/docker.sock'],
          ...['--volume', `${tmpdir()}:${tmpdir()}`, '--env', `TMPDIR=${tmpdir()}`],
          ...['--volume', `${cache}:${cache}:ro`, '--env', `XDG_CACHE_HOME=${dirname(cache)}`],
          ...['--env', 'RUNNER_TOOL_CACHE=', '--env', `WIREGAUGE_BUILD_ARGS=${buildArgsText()}`],
          ...['--workdir', project.root],
        ],
        ...['run', '--suite', 'small', '--profile', 'smoke', '--mode', 'saturate', '--runtime', 'docker'],
      );

      expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
      const run = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
      expect(run).toMatchObject({ complete: true, runtime: { name: 'docker' } });
    } finally {
      project.remove();
    }
  });
});
