import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProc } from '../../src/host/files/reader.ts';
import { isOwnerAlive, OWNER_VARIABLE } from '../../src/host/machine/proc.ts';
import { parseEnvironment } from '../../src/host/machine/proc-files.ts';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { makeProject, manifest, wiregauge } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';
import { sampleRun } from '../support/sample-run.ts';

const QUICK = ['--suite', 'small', '--profile', 'smoke', '--runtime', 'process'];

let project: ReturnType<typeof makeProject>;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

const inProject = (argv: readonly string[], environment: Record<string, string> = {}) =>
  wiregauge(argv, { cwd: project.root, environment });

/** Command lines of whatever runs have started that have ended: beside these tests others measure. */
function leftRunning(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isLeft(name))
    .map(commandLine)
    .join('\n');
}

function isLeft(pid: string): boolean {
  const owner = parseEnvironment(readProc(`/proc/${pid}/environ`) ?? '', OWNER_VARIABLE);
  return owner !== undefined && !isOwnerAlive(owner);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended since the folder was listed.
    return '';
  }
}

describe('wiregauge', () => {
  test('lists its commands', async () => {
    const { exitCode, stdout } = await wiregauge(['--help', '--all']);

    expect(exitCode).toBe(0);
    for (const command of ['run', 'compare', 'judge', 'calibrate', 'report', 'shards', 'baseline']) {
      expect(stdout).toContain(`  ${command} `);
    }
  });

  test.each([
    [['--flag'], /unknown option '--flag'/],
    [['rum'], /unknown command 'rum'[\s\S]*run/],
  ])('refuses %j', async (argv, words) => {
    expectRefusal(await inProject(argv), words);
  });

  test('says what to do where the engine that was asked for is not there', async () => {
    const end = await inProject(['run', '--suite', 'small', '--runtime', 'docker'], {
      DOCKER_HOST: 'unix:///nowhere/docker.sock',
    });

    expectRefusal(end, /--runtime docker: [\s\S]*\/nowhere\/docker\.sock[\s\S]*--runtime process/);
  });
});

describe('wiregauge run', () => {
  test('measures, and leaves the run and its reports; says why it takes plain processes where the engine does not answer', async () => {
    const argv = ['run', '--suite', 'small', '--profile', 'smoke', '--seed', '7'];
    const { exitCode, stdout } = await inProject(argv, { DOCKER_HOST: 'unix:///nowhere/docker.sock' });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/runtime: plain processes, the Docker engine cannot be used: .*\/nowhere\/docker\.sock/);
    expect(stdout).toMatch(/plan: good; 1 tier; 2 fresh starts; about \d+ s/);
    const run = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
    expect(run.complete).toBe(true);
    expect(run.seed).toBe(7);
    const whole = run.samples.find(({ cell }) => cell.operation === 'all' && cell.tier === 'low');
    expect(whole?.requests).toBe(500);
    expect(whole?.failures).toEqual([]);
    expect(whole?.values.cpuMicrosPerRequest).toBeGreaterThan(0);
    expect(existsSync(join(project.root, 'out/report.md'))).toBe(true);
    expect(existsSync(join(project.root, 'out/report.html'))).toBe(true);
    expect(leftRunning()).toBe('');
  });

  test('measures nothing where two services answer differently', async () => {
    const end = await inProject(['run', ...QUICK, '--services', 'good,wrong', '--out', 'out-wrong']);

    expectRefusal(end, /wrong and good answer Get \{"id":1\} differently at \$\.\w+: .*somebody else/);
    expect(existsSync(join(project.root, 'out-wrong/run.json'))).toBe(false);
    expect(leftRunning()).toBe('');
  });

  test('gives up on a service that never gets ready, with what it printed', async () => {
    const silent = { ...JSON.parse(manifest('silent', { FAULT: 'silent' })), ready: { timeoutSeconds: 3 } };
    project.write('services/silent/service.yml', JSON.stringify(silent));

    const end = await inProject(['run', ...QUICK, '--services', 'silent']);

    expectRefusal(end, /silent: not ready after 3 s[\s\S]*thinking about it/);
    expect(leftRunning()).toBe('');
  });

  test('says that a port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    project.write('services/fixed/service.yml', manifest('fixed', { FAULT: 'fixed', FIXED_PORT: String(port) }));

    const end = await inProject(['run', ...QUICK, '--services', 'fixed']);
    taken.close();

    expectRefusal(end, /fixed: ended before it was ready: [\s\S]*EADDRINUSE/);
  });

  test('keeps what was measured when a service dies in the middle', async () => {
    const end = await inProject([
      'run',
      ...QUICK,
      '--mode',
      'saturate',
      '--services',
      'good,dies',
      '--out',
      'out-dies',
    ]);

    expect(end.exitCode).toBe(2);
    expect(end.stdout).toMatch(/dies saturation .*: not measured: dies exited under saturation/);
    expect(end.stdout).toContain('services are not compared with each other: fewer than two of them could be measured');
    expect(end.stderr).not.toMatch(/^\s+at /m);
    const run = parseRun(readFileSync(join(project.root, 'out-dies/run.json'), 'utf8'), 'run.json');
    expect(run.complete).toBe(false);
    expect(new Set(run.samples.map(({ cell }) => cell.service))).toEqual(new Set(['good']));
    expect(run.failures.map(({ service }) => service)).toEqual(['dies']);
    expect(leftRunning()).toBe('');
  });

  test('stops in good order at Ctrl-C: keeps what it measured, and the complete run before, and leaves nothing running', async () => {
    project.write('out-interrupted/run.json', formatRun({ ...sampleRun(), complete: true }));
    project.write('out-interrupted/report.html', 'the report before');
    let interrupted = false;
    const end = await wiregauge(['run', ...QUICK, '--out', 'out-interrupted'], {
      cwd: project.root,
      onOutput: (output, kill) => {
        if (!interrupted && /saturation[\s\S]*measuring/.test(output)) {
          interrupted = true;
          kill('SIGINT');
        }
      },
    });

    expect(end.exitCode).toBe(130);
    expect(end.stderr).toContain('stopping; any results so far are kept');
    const run = parseRun(readFileSync(join(project.root, 'out-interrupted/run.json'), 'utf8'), 'run.json');
    expect(run.complete).toBe(false);
    expect(run.samples.map(({ cell }) => cell.tier)).toEqual(['low', 'low']);
    expect(readFileSync(join(project.root, 'out-interrupted/previous/report.html'), 'utf8')).toBe('the report before');
    expect(end.stdout).toContain('\nlast complete run: out-interrupted/previous/report.html\n');
    expect(leftRunning()).toBe('');
  });

  test('refuses a folder that cannot be written to before it measures', async () => {
    project.write('a-file', '');

    expectRefusal(await inProject(['run', ...QUICK, '--out', 'a-file/out']), /a-file/);
  });
});
