import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { once } from '../../src/foundation/once.ts';
import { lockHolder } from '../../src/host/locks.ts';
import { parseProcessStat } from '../../src/host/machine/proc-files.ts';

/** Repository, temporary folder and lock of one case. */
export interface Scene {
  /** Folder around the repository. */
  readonly outside: string;
  readonly root: string;
  readonly temporary: string;
  readonly lock: string;
  /** Writes a file of the repository and gives its path. */
  readonly write: (path: string, content: string | Uint8Array) => string;
}

/** Start of the command line, and what must come of it. */
export interface Play {
  readonly argv: readonly string[];
  readonly set?: (scene: Scene) => void;
  readonly environment?: (scene: Scene) => Readonly<Record<string, string | undefined>>;
  /** Whether it is played in this process, which takes a tenth of the time. */
  readonly isInside?: boolean;
  /** Signals to send, one second after the other, once the output matches */
  readonly ends?: { readonly at: RegExp; readonly signals: readonly NodeJS.Signals[] };
  /** What happens once the output matches. */
  readonly meanwhile?: { readonly at: RegExp; readonly act: (scene: Scene) => void };
  readonly code: number | null;
  readonly prints?: RegExp;
  readonly printsNot?: RegExp;
  /** New files of the repository, from its root; others fail the case. */
  readonly leaves?: readonly (string | RegExp)[];
  /** Whether it is killed, so that the next start cleans up, which is played as well. */
  readonly next?: boolean;
}

const MAX_MEMORY_MIB = 900;
const MAX_CPU_SECONDS = 60;
const POLL_MS = 25;
let scenes = 0;

/** Repository of one commit, made once. */
const template = once(() => {
  const root = mkdtempSync(join(tmpdir(), 'fault-template-'));
  const git = (...argv: readonly string[]) => execFileSync('git', ['-C', root, ...argv], { stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main', '--template=');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--allow-empty', '--message=Begin');
  return root;
});

afterAll(() => rmSync(template(), { recursive: true }));

function makeScene(): Scene {
  const outside = mkdtempSync(join(tmpdir(), 'fault-'));
  const [root, temporary] = [join(outside, 'repository'), join(outside, 'temporary')];
  mkdirSync(temporary);
  cpSync(template(), root, { recursive: true });
  scenes += 1;
  return {
    ...{ outside, root, temporary },
    lock: `fault-${process.pid}-${scenes}`,
    write(path, content) {
      const whole = join(root, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, content);
      return whole;
    },
  };
}

/** Plays a case and checks what comes out, what it takes, and what it leaves: processes, files, the lock, branches. */
export async function play(one: Play): Promise<void> {
  const scene = makeScene();
  try {
    one.set?.(scene);
    const before = stateOf(scene);
    const end = await (one.isInside === true ? runInside(scene, one) : run(scene, one));
    const text = `${end.stdout}${end.stderr}`;
    expect({ code: end.code, text }).toEqual({ code: one.code, text });
    expect(text).toMatch(one.prints ?? /./);
    expect(text).not.toMatch(one.printsNot ?? /^\s+at .*:\d+:\d+\)?$|WG-900/m);
    expect(end.memoryMiB).toBeLessThan(MAX_MEMORY_MIB);
    expect(end.cpuSeconds).toBeLessThan(MAX_CPU_SECONDS);
    if (one.next === true) {
      await run(scene, { argv: ['cache', 'clean'], code: 0 });
    }
    const after = stateOf(scene);
    expect(after.files.filter((file) => !before.files.includes(file) && !isLeft(one, file))).toEqual([]);
    expect({ ...after, files: [] }).toEqual({ ...before, files: [] });
    expect(await lockHolder(scene.lock)).toBeUndefined();
  } finally {
    for (const pid of processesOf(scene)) {
      process.kill(pid, 'SIGKILL');
    }
    for (const [, path = ''] of readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+)/gm)) {
      if (path.startsWith(`${scene.outside}/`)) {
        execFileSync('umount', ['--lazy', path]);
      }
    }
    rmSync(scene.outside, { recursive: true, force: true });
  }
}

function isLeft({ leaves = [] }: Play, file: string): boolean {
  return leaves.some((left) =>
    typeof left === 'string' ? file === left || file.startsWith(`${left}/`) : left.test(file),
  );
}

/** What may not change. */
function stateOf(scene: Scene) {
  const git = (...argv: readonly string[]) => execFileSync('git', ['-C', scene.root, ...argv], { encoding: 'utf8' });
  return {
    files: filesBelow(scene.root, scene.root),
    temporary: readdirSync(scene.temporary),
    references: git('for-each-ref', '--format=%(refname) %(objectname)'),
    worktrees: git('worktree', 'list').trimEnd().split('\n').length,
    processes: processesOf(scene).length,
  };
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== '.git')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(root, path) : [relative(root, path)];
    });
}

/** Programs that have the scene in their command line or work in it. */
function processesOf({ outside }: Scene): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const isIn = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(outside);
        return isIn || readlinkSync(`/proc/${name}/cwd`).startsWith(outside);
      } catch {
        return false;
      }
    })
    .map(Number);
}

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly memoryMiB: number;
  readonly cpuSeconds: number;
}

async function run(scene: Scene, { argv, environment, ends, meanwhile }: Play): Promise<End> {
  const { GITHUB_ACTIONS: _, ...own } = process.env;
  const env = { ...own, TMPDIR: scene.temporary, WIREGAUGE_LOCK: scene.lock, NO_COLOR: '1', ...environment?.(scene) };
  const program = spawn(process.execPath, [resolve('dist/cli.js'), ...argv], {
    ...{ cwd: scene.root, env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const used = watch(program);
  const texts = { stdout: '', stderr: '' };
  let [isEnding, hasActed] = [false, false];
  for (const name of ['stdout', 'stderr'] as const) {
    program[name].on('data', (chunk) => {
      texts[name] += chunk;
      const all = texts.stdout + texts.stderr;
      if (ends !== undefined && !isEnding && ends.at.test(all)) {
        isEnding = true;
        for (const [index, signal] of ends.signals.entries()) {
          setTimeout(() => program.kill(signal), index * 1000);
        }
      }
      if (meanwhile !== undefined && !hasActed && meanwhile.at.test(all)) {
        hasActed = true;
        meanwhile.act(scene);
      }
    });
  }
  const [code] = await onceEmitted(program, 'exit');
  await Promise.race([onceEmitted(program, 'close'), new Promise((settle) => setTimeout(settle, 1000))]);
  return { code, ...texts, ...used() };
}

async function runInside(scene: Scene, { argv, environment }: Play): Promise<End> {
  const texts = { stdout: '', stderr: '' };
  const [cpu, memory, folder] = [process.cpuUsage(), process.resourceUsage().maxRSS, process.cwd()];
  const variables = { GITHUB_ACTIONS: undefined, TMPDIR: scene.temporary, WIREGAUGE_LOCK: scene.lock, NO_COLOR: '1' };
  for (const [name, value] of Object.entries({ ...variables, ...environment?.(scene) })) {
    vi.stubEnv(name, value);
  }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    });
  }
  process.chdir(scene.root);
  try {
    const code = await runCommandLine(argv);
    const { user, system } = process.cpuUsage(cpu);
    const memoryMiB = (process.resourceUsage().maxRSS - memory) / 1024;
    return { code, ...texts, memoryMiB, cpuSeconds: (user + system) / 1e6 };
  } finally {
    process.chdir(folder);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
}

/** Most memory and CPU time that a program was seen with. */
function watch({ pid }: ChildProcess): () => Pick<End, 'memoryMiB' | 'cpuSeconds'> {
  let [memoryMiB, cpuSeconds] = [0, 0];
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      memoryMiB = Math.max(memoryMiB, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
      const stat = parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      cpuSeconds = Math.max(cpuSeconds, (stat?.cpuTicks ?? 0) / 100);
    } catch {
      // It has ended.
    }
  }, POLL_MS);
  return () => {
    clearInterval(look);
    return { memoryMiB, cpuSeconds };
  };
}
