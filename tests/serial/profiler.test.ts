import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort, listenersOn } from '../../src/host/machine/ports.ts';
import { treeCounters } from '../../src/host/machine/proc.ts';
import { growthBetween } from '../../src/judge/profiler/growth.ts';
import { readyForNode } from '../../src/measure/profiler/node.ts';
import { chosenPage } from '../../src/measure/profiler/pprof.ts';
import { type Choice, chosenSampler, runningOf } from '../../src/measure/profiler/programs.ts';
import { foldStacks } from '../../src/measure/profiler/stacks.ts';
import type { SampledProfile } from '../../src/model/run/functions.ts';
import type { Service } from '../../src/model/service.ts';
import { requires } from '../support/requires.ts';

/** Long enough for some dozens of samples of a program that has a tenth of a core beside other tests. */
const SECONDS = 3;

/** The interpreter itself: one that is found on the PATH may be a script that starts several programs first. */
const VENV = resolve(import.meta.dirname, '../../.venv/bin');

/** Programs that do the work of a request after the other, of which `checksum` is the part that becomes slower. */
const PYTHON = (turns: number) => `
def checksum(turns):
    total = 0
    for turn in range(turns):
        total = (total * 31 + turn) % 65521
    return total
def render():
    return ','.join(str(n) for n in range(400))
while True:
    checksum(${turns})
    render()
`;

const NODE = (turns: number) => `
function checksum(turns) {
  let total = 1;
  for (let turn = 0; turn < turns; turn += 1) total = (total * 16807) % 2147483647;
  return total;
}
function render() {
  return JSON.stringify(Array.from({ length: 4000 }, (_, id) => ({ id })));
}
function answer() {
  for (let request = 0; request < 20; request += 1) checksum(${turns}) && render();
  setTimeout(answer);
}
answer();
`;

const GO_WORK = `//go:noinline
func checksum(turns int) int {
	total := 1
	for turn := 0; turn < turns; turn++ {
		total = total * 16807% 2147483647
	}
	return total
}

//go:noinline
func render(n int) int {
	for turn := 0; turn < 200000; turn++ {
		n = n*31 + turn
	}
	return n
}
`;

const GO = (turns: number) => `package main

${GO_WORK}
func main() {
	for n := 0; ; {
		n = render(n + checksum(${turns}))
	}
}
`;

/** One that is told its turns and its port, and gives a profile of itself there. */
const GO_PPROF = `package main

import (
	"net/http"
	_ "net/http/pprof"
	"os"
	"strconv"
)

${GO_WORK}
func main() {
	go http.ListenAndServe("127.0.0.1:"+os.Args[2], nil)
	turns, _ := strconv.Atoi(os.Args[1])
	for n := 0; ; {
		n = render(n + checksum(turns))
	}
}
`;

const SERVICE = { environment: {} } as unknown as Service;

type Choosing = (pid: number) => Choice | undefined | Promise<Choice>;

describe('a profiler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'profiler-'));
  const path = process.env['PATH'] ?? '';
  const started: ChildProcess[] = [];

  beforeAll(() => {
    process.env['PATH'] = [VENV, path].join(delimiter);
  });
  afterEach(() => {
    for (const child of started.splice(0)) {
      child.kill('SIGKILL');
    }
  });
  afterAll(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  const until = async (isThere: () => boolean): Promise<void> => {
    for (const end = performance.now() + 20_000; performance.now() < end && !isThere(); ) {
      await sleep(50);
    }
  };

  const byProgram: Choosing = (pid) => chosenSampler(runningOf([pid]));

  const sampled = async (
    side: 'base' | 'head',
    command: readonly string[],
    choose: Choosing,
  ): Promise<SampledProfile> => {
    const env = { ...process.env, ...readyForNode(SERVICE).environment };
    const child = spawn(command[0] ?? '', command.slice(1), { env, stdio: 'ignore' });
    started.push(child);
    // As long as it takes until its compiler has settled, however busy the machine is.
    await until(() => treeCounters(child.pid ?? 0).cpuSeconds > 1);
    const choice = await choose(child.pid ?? 0);
    if (choice === undefined) {
      throw new Error(`${command[0]} ended`);
    }
    const { sampler, pids } = choice;
    const { signal } = new AbortController();
    const { version, stacks } = await sampler.sample({ pids, seconds: SECONDS, folder, signal });
    child.kill('SIGKILL');
    return { service: 'any', side, profiler: sampler.name, version, share: 1, ...foldStacks(stacks) };
  };

  /** What grew, if a request took half as much CPU time again. */
  const grownBetween = async (commandFor: (side: 'base' | 'head') => readonly string[], choose = byProgram) => {
    const base = await sampled('base', commandFor('base'), choose);
    const head = await sampled('head', commandFor('head'), choose);
    return growthBetween({ base, head }, { base: 100, head: 150 });
  };

  test.skipIf(!requires('py-spy'))(
    'names the function that became slower in Python',
    async () => {
      const python = realpathSync(join(VENV, 'python'));
      const { profiler, grown } = await grownBetween((side) => [
        python,
        file(`${side}.py`, PYTHON(side === 'base' ? 500 : 2000)),
      ]);
      expect(profiler).toMatch(/^py-spy \d/);
      expect(grown[0]).toMatchObject({ name: 'checksum', object: expect.stringMatching(/\.py$/) });
    },
    60_000,
  );

  test('names the function that became slower in Node.js', async () => {
    const { profiler, grown } = await grownBetween((side) => [
      process.execPath,
      // What an optimizing compiler inlines, or replaces during the samples, counts as its caller.
      ...['--no-opt', '--no-maglev'],
      file(`${side}.mjs`, NODE(side === 'base' ? 20_000 : 200_000)),
    ]);
    expect(profiler).toMatch(/^Node\.js v\d/);
    expect(grown[0]?.name).toBe('checksum');
  });

  test('does not signal a program of Node.js that handles no profiling', async () => {
    const child = spawn(process.execPath, [file('other.mjs', NODE(1000))], { stdio: 'ignore' });
    started.push(child);
    await sleep(1000);
    const { sampler, pids } = (await byProgram(child.pid ?? 0)) ?? {};
    const { signal } = new AbortController();
    await expect(sampler?.sample({ pids: pids ?? [], seconds: 0.1, folder, signal })).rejects.toThrow('NODE_OPTIONS');
    expect(child.exitCode ?? child.signalCode).toBeNull();
  });

  test.skipIf(!requires('perf'))(
    'names the function that became slower in Go',
    async () => {
      const { profiler, grown } = await grownBetween((side) => {
        const source = file('main.go', GO(side === 'base' ? 50_000 : 500_000));
        const program = join(folder, side);
        expect(spawnSync('go', ['build', '-o', program, source]).status).toBe(0);
        return [program];
      });
      expect(profiler).toMatch(/^perf \d/);
      expect(grown[0]?.name).toBe('main.checksum');
    },
    60_000,
  );

  test('names the function that became slower in Go, from pprof', async () => {
    const program = join(folder, 'tells');
    expect(spawnSync('go', ['build', '-o', program, file('tells.go', GO_PPROF)]).status).toBe(0);
    const port = await freePort();
    const page = { address: `127.0.0.1:${port}`, path: '/debug/pprof/profile' };
    const listening: Choosing = async (pid) => {
      await until(() => listenersOn(port).length > 0);
      return chosenPage(page, { service: 'any', first: [pid], address: '127.0.0.1:1' });
    };

    const { profiler, grown, stacks } = await grownBetween(
      (side) => [program, side === 'base' ? '50000' : '500000', String(port)],
      listening,
    );

    expect(profiler).toBe('pprof');
    expect(stacks.head).toBeGreaterThan(20);
    expect(grown[0]).toMatchObject({ name: 'main.checksum', object: 'tells.go' });
  });
});
