import type { ManagedRuntime } from '../../model/run/instructions.ts';
import { readProc } from '../files/reader.ts';
import { processTree } from './proc.ts';

/** Managed runtime that any of the processes, or what they started, runs on: one that compiles a program while it runs. */
export function managedRuntimeOf(pids: readonly number[]): ManagedRuntime | undefined {
  const found = pids.flatMap((pid) => processTree(pid)).map(({ pid }) => runtimeIn(pid));
  return found.find((runtime) => runtime !== undefined);
}

function runtimeIn(pid: number): ManagedRuntime | undefined {
  const [command = '', maps = ''] = ['cmdline', 'maps'].map((name) => readProc(`/proc/${pid}/${name}`));
  return runtimeBy(command, maps);
}

/** Runtime of a process by its files `cmdline` and `maps` in /proc: other launchers load it as a library. */
export function runtimeBy(command: string, maps: string): ManagedRuntime | undefined {
  const [, name = ''] = COMMAND.exec(command) ?? LIBRARY.exec(maps) ?? [];
  return RUNTIMES[name];
}

const RUNTIMES: Readonly<Record<string, ManagedRuntime>> = {
  java: 'a JVM',
  jvm: 'a JVM',
  dotnet: '.NET',
  coreclr: '.NET',
};

/** First argument, or the program that Valgrind runs, which follows its name and options. */
const COMMAND = /^(?:(?=[^\0]*valgrind)[^\0]*\0(?:-[^\0]*\0)*)?(?:[^\0]*\/)?(java|dotnet)\0/;

const LIBRARY = /\/lib(jvm|coreclr)\.so$/m;
