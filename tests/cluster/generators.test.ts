import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { blocksOf } from '../support/docs-blocks.ts';
import { BASE_TURNS, clusterProject, configuration, measuring } from './project.ts';

const { build, kubectl, podsLeft, run, shell, wiregauge, write } = clusterProject(2);

/** A kubectl that reserves little for generators: three of them do not fit into the cores of a test machine otherwise. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const small = `sed 's/"cpu":"1000m","memory":"1024Mi"/"cpu":"300m","memory":"256Mi"/g' | PATH=\${PATH#*:} exec kubectl "$@"`;
  const script = `case "$*" in *create*) ${small};; *) PATH=\${PATH#*:} exec kubectl "$@";; esac`;
  writeFileSync(join(folder, 'kubectl'), `#!/bin/bash\n${script}\n`);
  chmodSync(join(folder, 'kubectl'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const with3 = () => ({ PATH: `${folder}:${process.env['PATH']}`, WIREGAUGE_KUBERNETES_GENERATORS: '3' });

const REGISTRY = '127.0.0.1:5099';

/** The registry of the cluster at an address of this machine, to which the Docker engine pushes without TLS. */
async function localRegistry(): Promise<void> {
  const server = createServer((from) => {
    const to = connect(5000, '10.88.78.2');
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  });
  server.listen(5099, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

const lowOf = () => run().samples.find(({ cell }) => cell.tier === 'low' && cell.operation === 'all');

test('three generators send what one sends', async () => {
  write('wiregauge.yml', configuration('', 200));
  const alone = await wiregauge(measuring('run', '--no-versus'));
  const one = lowOf();
  const together = await wiregauge(measuring('run', '--no-versus'), with3());
  const three = lowOf();

  const skew = /^.*load generators: started .*$/m.exec(`${together.stdout}${together.stderr}`)?.[0];
  const latencies = [one, three].map(
    (found) => `p50 ${found?.values.latencyP50Ms} ms, p99 ${found?.values.latencyP99Ms} ms`,
  );
  process.stdout.write(`${skew}\none generator: ${latencies.join('; three: ')}\n`);
  expect([alone.exitCode, together.exitCode, together.stderr]).toEqual([0, 0, expect.any(String)]);
  expect(skew).toMatch(/\d ms apart at most/);
  for (const { stdout, stderr } of [alone, together]) {
    const placed = /node (node-\d) runs the services, (\S+) the load generators/.exec(`${stdout}${stderr}`);
    const [, services, generators] = placed ?? [];
    expect([services, generators].sort()).toEqual(['node-1', 'node-2']);
  }
  expect(run().runner.rttMs).toBeGreaterThan(0);
  expect([three?.offeredRps, three?.droppedRequests]).toEqual([one?.offeredRps, one?.droppedRequests]);
  // A window begins with the first request, so that one of each generator may be on either side of its end.
  expect(Math.abs((three?.requests ?? 0) - (one?.requests ?? 0))).toBeLessThanOrEqual(3);
  expect(podsLeft()).toBe('');
});

test('following the guide detects twice the work, with images of a registry and load from another node', async () => {
  build(2 * BASE_TURNS);
  const [, measure] = blocksOf('docs/how-to/kubernetes.md').filter(({ language }) => language === 'sh');
  const script = measure?.text.replace('ghcr.io/acme', REGISTRY) ?? '';
  expect(script).toContain(`${REGISTRY}/perf`);
  await localRegistry();

  const following = shell(script);

  await expect(following).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^Regression: Work \d+% /m),
  });
  expect(podsLeft()).toBe('');
}, 900_000);

test('a fifth more work is a regression, under the default profile of a pull request', async () => {
  build(1.2 * BASE_TURNS);

  const command = ['compare', '--runtime', 'kubernetes', '--base', 'HEAD', '--out', 'out'];
  const { exitCode, stdout, stderr } = await wiregauge(command);

  expect(exitCode, `${stdout}\n${stderr}`).toBe(1);
  expect(stdout).toMatch(/^Regression: Work \d+% slower/m);
  expect(podsLeft()).toBe('');
}, 900_000);

test('`auto` starts no second generator for a low rate', async () => {
  const auto = { WIREGAUGE_KUBERNETES_GENERATORS: 'auto' };

  const { exitCode, stdout } = await wiregauge(measuring('run', '--no-versus'), auto);

  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('load generators: started')]);
});

test('a generator that is killed makes its block void, and is named', async () => {
  let killed = '';

  const { exitCode, stdout, stderr } = await wiregauge(measuring('run', '--no-versus'), with3(), (output) => {
    if (killed === '' && /measuring/.test(output)) {
      const names = '{range .items[*]}{.metadata.name} {.spec.containers[0].resources.limits.memory}\n{end}';
      const pods = kubectl(['get', 'pods', `--output=jsonpath=${names}`]);
      killed = /^(\S+) 256Mi$/m.exec(pods)?.[1] ?? '';
      kubectl(['delete', 'pod', killed, '--wait=false', '--grace-period=0', '--force']);
    }
  });

  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`load generator ${killed} on node node-\\d`));
  expect(podsLeft()).toBe('');
});
