import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { wiregauge } from '../integration/project.ts';
import { cluster, kubectl } from './test-cluster.ts';

const BASE_TURNS = 60_000;

const server = (turns: number) => `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	held := [][]byte{}
	http.HandleFunc("/work", func(w http.ResponseWriter, r *http.Request) {
		work := uint64(1)
		for range ${turns} {
			work = work * 16807 % 2147483647
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, \`{"isWork": %v}\`, work > 0)
		for range len(os.Getenv("HOLDS")) {
			held = append(held, make([]byte, 1<<20))
			for i := range held[len(held)-1] {
				held[len(held)-1][i] = 1
			}
		}
	})
	_ = http.ListenAndServe(os.Getenv("HOST")+":"+os.Getenv("PORT"), nil)
}
`;

// Room for two of them, their readers and the load driver on 2 cores.
const configuration = (more = '') => `services:
  work:
    image: { dockerfile: Dockerfile }
    port: 8080
    protocol: rest
    limits: { cpus: 0.3, memoryMiB: 128 }
    ${more}
operations:
  - { name: Work, rest: GET /work }
tiers:
  - { name: low, requestsPerSecond: 50, inFlight: 20 }
`;

let kubeconfig: string;
let root: string;
let out: string;

beforeAll(() => {
  kubeconfig = cluster('up');
});
afterAll(() => {
  cluster('down');
});
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cluster-'));
  out = join(root, 'out');
  write('Dockerfile', 'FROM scratch\nCOPY server /\nCMD ["/server"]\n');
  write('.gitignore', 'out\n');
  write('go.mod', 'module worker\n\ngo 1.25\n');
  write('wiregauge.yml', configuration());
  build(BASE_TURNS);
  gitIn(root, 'init', '--quiet', '--initial-branch=main');
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=First');
  return () => rmSync(root, { recursive: true, force: true });
});

const write = (path: string, text: string) => writeFileSync(join(root, path), text);

function build(turns: number): void {
  write('main.go', server(turns));
  execFileSync('go', ['build', '-o', 'server', '.'], { cwd: root, env: { ...process.env, CGO_ENABLED: '0' } });
}

const environment = () => ({
  KUBECONFIG: kubeconfig,
  WIREGAUGE_KUBERNETES_REGISTRY: 'wiregauge.test/perf',
  WIREGAUGE_KUBERNETES_PUSH: `${resolve('tests/cluster/cluster')} load`,
});

const measure = (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  wiregauge([...argv, '--runtime', 'kubernetes', '--profile', 'smoke', '--out', out], {
    cwd: root,
    environment: { ...environment(), ...more },
  });

const podsLeft = () => kubectl(kubeconfig, ['get', 'pods', '--output=name']);

describe('services in pods', () => {
  test('are run, and the machine of the run is their node', async () => {
    const { exitCode, stderr } = await measure(['run', '--no-versus']);

    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
    const run = parseRun(readFileSync(join(out, 'run.json'), 'utf8'), 'run.json');
    expect(run.runtime.name).toBe('kubernetes');
    expect(run.runner.engine).toBe('kubernetes v1.34.4');
    const [sample] = run.samples.filter(({ cell }) => cell.tier === 'low');
    expect(sample?.values).toMatchObject({
      cpuMicrosPerRequest: expect.any(Number),
      peakMemoryMiB: expect.any(Number),
      wireBytesPerRequest: expect.any(Number),
    });
    expect(podsLeft()).toBe('');
  });

  test('are compared: a version with twice the work is slower', async () => {
    build(2 * BASE_TURNS);

    const { exitCode, stdout } = await measure(['compare', '--base', 'main']);

    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^Regression: Work \d+% /m)]);
    expect(podsLeft()).toBe('');
  });

  test('that a killed run has left are removed by the next start', async () => {
    const killed = await wiregauge(['run', '--runtime', 'kubernetes', '--profile', 'smoke', '--out', out], {
      cwd: root,
      environment: environment(),
      onOutput: (output, kill) => /measuring/.test(output) && kill('SIGKILL'),
    });
    const left = podsLeft().split('\n');

    const { stdout } = await wiregauge(['cache', 'clean'], { cwd: root, environment: environment() });

    expect([killed.exitCode, left.length]).toEqual([null, 3]);
    expect(stdout.match(/removing the pod wiregauge-/g)).toHaveLength(3);
    expect(podsLeft()).toBe('');
  });

  test('are removed at Ctrl-C', async () => {
    const ended = await wiregauge(['run', '--runtime', 'kubernetes', '--profile', 'smoke', '--out', out], {
      cwd: root,
      environment: environment(),
      onOutput: (output, kill) => /verified: work/.test(output) && kill('SIGINT'),
    });

    expect([ended.exitCode, podsLeft()]).toEqual([130, '']);
  });
});

describe('what a cluster refuses, with what helps', () => {
  test.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    ['no cluster', { KUBECONFIG: '/dev/null' }, /WG-214|KUBECONFIG/],
    ['no right', { WIREGAUGE_KUBERNETES_NAMESPACE: 'default' }, /forbidden[\s\S]*rights in this namespace/],
    ['no image', { WIREGAUGE_KUBERNETES_PUSH: 'true' }, /cannot be pulled by the node[\s\S]*imagePullSecrets/],
    ['no registry', { WIREGAUGE_KUBERNETES_REGISTRY: '' }, /WIREGAUGE_KUBERNETES_REGISTRY is not set/],
    [
      'a push that fails',
      { WIREGAUGE_KUBERNETES_PUSH: 'false' },
      /cannot be pushed[\s\S]*false wiregauge\.invalid\/perf:/,
    ],
  ])('%s', async (_what, more, message) => {
    // Another registry, so that no image of an earlier test is on the node.
    const registry = { WIREGAUGE_KUBERNETES_REGISTRY: 'wiregauge.invalid/perf' };

    const { exitCode, stderr } = await measure(['run'], {
      ...('WIREGAUGE_KUBERNETES_PUSH' in more && registry),
      ...more,
    });

    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(podsLeft()).toBe('');
  });

  test('a service that takes more memory than its limit', async () => {
    write('wiregauge.yml', configuration("environment: { HOLDS: 'xxxx' }"));

    const { stdout, stderr } = await measure(['run', '--no-versus']);

    expect(`${stdout}${stderr}`).toMatch(/work ran out of memory \(OOM\): it was killed at its limit of 128 MiB/);
    expect(podsLeft()).toBe('');
  });

  test('a service whose pod somebody deletes', async () => {
    let isDeleted = false;

    const { stdout, stderr } = await wiregauge(
      ['run', '--no-versus', '--runtime', 'kubernetes', '--profile', 'smoke', '--out', out],
      {
        cwd: root,
        environment: environment(),
        onOutput: (output) => {
          if (!isDeleted && /measuring/.test(output)) {
            isDeleted = true;
            const pods = kubectl(kubeconfig, [
              'get',
              'pods',
              '--output=jsonpath={range .items[*]}{.metadata.name} {.spec.containers[0].name}\n{end}',
            ]);
            const [, name = ''] = /^(\S+) service$/m.exec(pods) ?? [];
            kubectl(kubeconfig, ['delete', 'pod', name, '--wait=false']);
          }
        },
      },
    );

    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toContain('the cluster has lost work: it was deleted');
  });

  test('a service with something that it cannot start yet', async () => {
    write('wiregauge.yml', configuration('user: nobody'));

    expect((await measure(['run'])).stderr).toMatch(/work: has a `user` that is no number.*cannot start yet/);
  });
});
