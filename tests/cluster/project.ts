import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { parseRun, type Run } from '../../src/model/run/run.ts';
import { actionStep } from '../integration/action-step.ts';
import { gitIn } from '../integration/git-repository.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';
import { cluster, kubectl } from './test-cluster.ts';

export const BASE_TURNS = 60_000;

const server = (turns: number) => `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
)

func get(address string) error {
	response, err := http.Get(address)
	if err != nil {
		fmt.Println(err)
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

func main() {
	if slices.Contains(os.Args, "check") {
		return
	}
	if os.Getenv("GREETING") != "" {
		file, _ := os.ReadFile("/etc/work/greeting")
		if os.Getenv("KEY") != "secret" || string(file) != os.Getenv("GREETING") {
			os.Exit(1)
		}
	}
	stored := "http://" + os.Getenv("STORE_HOST") + ":" + os.Getenv("STORE_PORT") + "/work"
	hasStore := os.Getenv("STORE_HOST") != ""
	for _, address := range []string{stored, "http://store:9000/work"} {
		if hasStore && get(address) != nil {
			os.Exit(1)
		}
	}
	held := [][]byte{}
	http.HandleFunc("/work", func(w http.ResponseWriter, r *http.Request) {
		if hasStore {
			_ = get(stored)
		}
		work := uint64(1)
		for range ${turns} * (1 + len(os.Getenv("MORE"))) {
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
export const configuration = (more = '', rate = 50) => `services:
  work:
    image: { dockerfile: Dockerfile }
    port: 8080
    protocol: rest
    limits: { cpus: 0.3, memoryMiB: 128 }
    ${more}
operations:
  - { name: Work, rest: GET /work }
tiers:
  - { name: low, requestsPerSecond: ${rate}, inFlight: 20 }
`;

type Variables = Readonly<Record<string, string>>;

/** A cluster for all tests of a file, and a repository with a service for each of them. */
export function clusterProject(nodes = 1) {
  let kubeconfig: string;
  let root: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const build = (turns: number): void => {
    write('main.go', server(turns));
    execFileSync('go', ['build', '-o', 'server', '.'], { cwd: root, env: { ...process.env, CGO_ENABLED: '0' } });
  };
  const commit = (message: string): string => {
    gitIn(root, 'add', '--all');
    gitIn(root, 'commit', '--quiet', `--message=${message}`);
    return gitIn(root, 'rev-parse', 'HEAD');
  };
  const environment = (): Variables => ({
    KUBECONFIG: kubeconfig,
    WIREGAUGE_KUBERNETES_REGISTRY: 'wiregauge.test/perf',
    WIREGAUGE_KUBERNETES_PUSH: `${resolve('tests/cluster/cluster')} load`,
  });
  beforeAll(() => {
    kubeconfig = cluster('up', `${nodes}`);
  });
  afterAll(() => {
    cluster('down');
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'cluster-'));
    write('Dockerfile', 'FROM scratch\nCOPY server /\nCMD ["/server"]\n');
    write('.gitignore', 'out\n');
    write('go.mod', 'module worker\n\ngo 1.25\n');
    write('wiregauge.yml', configuration());
    build(BASE_TURNS);
    gitIn(root, 'init', '--quiet', '--initial-branch=main');
    commit('First');
    return () => rmSync(root, { recursive: true, force: true });
  });
  const asTester = (args: readonly string[]) => kubectl(kubeconfig, args);
  return {
    write,
    build,
    kubectl: asTester,
    /** kubectl with all rights, also outside of the namespace. */
    asAdmin: (args: readonly string[], input?: string) =>
      kubectl(kubeconfig.replace('tester', 'admin'), ['--namespace=perf', ...args], input),
    /** A pod whose first container has a name. */
    podOf(container: string): string {
      const names = '{range .items[*]}{.metadata.name} {.spec.containers[0].name}\n{end}';
      const [, name = ''] =
        new RegExp(`^(\\S+) ${container}$`, 'm').exec(asTester(['get', 'pods', `--output=jsonpath=${names}`])) ?? [];
      return name;
    },
    podsLeft: () => asTester(['get', 'pods', '--output=name']),
    /** Runs a command; `heard` gets all that it has printed so far. */
    async wiregauge(
      argv: readonly string[],
      more: Variables = {},
      heard?: (output: string, kill: (signal: NodeJS.Signals) => void) => void,
    ): Promise<CommandEnd> {
      const own = { ...environment(), ...more };
      return await wiregauge(argv, { cwd: root, environment: own, ...(heard && { onOutput: heard }) });
    },
    /** Runs the action for a pull request of one commit with all files; `outputs` are those of the step. */
    async action(inputs: Variables) {
      const base = { sha: gitIn(root, 'rev-parse', 'HEAD'), ref: 'main', repo: { full_name: 'one/service' } };
      const head = { sha: commit('Second'), repo: base.repo };
      const folder = mkdtempSync(join(tmpdir(), 'runner-'));
      try {
        const own = { ...environment(), HOME: process.env['HOME'] ?? '' };
        const payload = { pull_request: { number: 1, base, head } };
        const ended = await actionStep(folder, { root, event: 'pull_request', payload, inputs, environment: own });
        return { ...ended, outputs: readFileSync(join(folder, 'output'), 'utf8') };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    /** Runs commands in the repository, with `npx wiregauge`; rejects unless they exit with 0. */
    shell(script: string) {
      const npx = `npx() { shift; '${process.execPath}' '${resolve('dist/cli.js')}' "$@"; }`;
      const options = { cwd: root, env: { ...process.env, KUBECONFIG: kubeconfig } };
      return promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${npx}\n${script}`], options);
    },
    run: (): Run => parseRun(readFileSync(join(root, 'out/run.json'), 'utf8'), 'run.json'),
  };
}

/** A measurement in the cluster. */
export const measuring = (command: string, ...more: readonly string[]) => [
  command,
  ...more,
  ...['--runtime', 'kubernetes', '--profile', 'smoke', '--out', 'out'],
];
