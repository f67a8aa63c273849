import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { EnvironmentError, MeasurementError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { type ChildEnd, runChild, startChild } from '../../host/child.ts';
import { readProc } from '../../host/files/reader.ts';
import {
  type ExecutedCall,
  type ExecutedFunction,
  executedCallsSchema,
  executedFunctionSchema,
  unitedCalls,
  unitedFunctions,
} from '../../model/run/functions.ts';
import type { Service } from '../../model/service.ts';
import { javaOptions } from '../needs.ts';
import type { Counter, CountingMode, CountingOptions, CountingRuntime, Counts, RunningService } from '../port.ts';

export interface ValgrindPlace extends Counter {
  readonly valgrind: string;
  readonly vgdb: string;
  /** Prefix that fixes the addresses of programs; empty if the kernel refuses it. */
  readonly before: readonly string[];
}

const PROBE_SECONDS = 20;

/** Longer than the driver allows for the dump of any program. */
export const DUMP_SECONDS = 70;

/** Memory factor of a service: translated code, and its bookkeeping. */
export const COUNTED_MEMORY = 4;

/** Looks for Valgrind on a PATH; undefined if it is missing, or does not start. */
export async function findValgrind(path: string): Promise<ValgrindPlace | undefined> {
  for (const folder of path.split(':').filter((one) => one !== '')) {
    const valgrind = join(folder, 'valgrind');
    const version = /^valgrind-(\S+)/m.exec((await probe([valgrind, '--version']))?.lastLines ?? '')?.[1];
    if (version !== undefined) {
      const before = ['setarch', '-R'];
      const isFixed = (await probe([...before, 'true']))?.exitCode === 0;
      return {
        name: 'valgrind',
        version,
        architecture: countedArchitecture(process.arch, readProc('/proc/cpuinfo') ?? ''),
        valgrind,
        vgdb: join(dirname(valgrind), 'vgdb'),
        before: isFixed ? before : [],
      };
    }
  }
  return undefined;
}

/**
 * Processor features that Valgrind exposes to programs; other features are the same on every machine. From `amd64g_dirtyhelper_CPUID_avx2` in VEX/priv/guest_amd64_helpers.c of Valgrind's source.
 */
const SHOWN_FEATURES: readonly string[] = ['avx2', 'f16c', 'rdrand', 'rdseed'];

/** Architecture that a count is for, with missing features: "x64", "x64 without avx2". */
export function countedArchitecture(architecture: string, cpuinfo: string): string {
  const flags = /^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/);
  const lacking = flags === undefined ? [] : SHOWN_FEATURES.filter((feature) => !flags.includes(feature));
  return lacking.length === 0 ? architecture : `${architecture} without ${lacking.join(', ')}`;
}

async function probe(argv: readonly string[]): Promise<ChildEnd | undefined> {
  return await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: PROBE_SECONDS }).catch(
    () => undefined,
  );
}

/** Required Valgrind; throws EnvironmentError if this machine lacks it. */
export async function requireValgrind(path = process.env['PATH'] ?? ''): Promise<ValgrindPlace> {
  const found = await findValgrind(path);
  if (found === undefined) {
    throw new EnvironmentError('Valgrind, which counts instructions, is not installed', {
      code: 'WG-213',
      next: 'Install it: `sudo apt-get install -y valgrind` on Debian and Ubuntu.',
    });
  }
  return found;
}

/**
 * Options of Valgrind before the command of a service, so that all of its programs are counted: from the first reading of their counts, since
 * programs that do not count are three times as fast, or from their start. Its files go into a folder of this start only; the driver knows their
 * names (tools/load/cmd/wiregauge-load/counts.go).
 */
export function countingOptions(
  folder: string,
  { isFromStart = false, hasFunctions = false }: CountingMode = {},
): readonly string[] {
  return [
    '--tool=callgrind',
    // The last output of the service shows the failure of Valgrind.
    '--quiet',
    // A script or `env` starts the actual service.
    '--trace-children=yes',
    `--instr-atstart=${isFromStart ? 'yes' : 'no'}`,
    '--cache-sim=no',
    '--collect-systime=yes',
    ...(hasFunctions ? STACK_OPTIONS : []),
    `--callgrind-out-file=${join(folder, 'counts')}.%p`,
    `--vgdb-prefix=${join(folder, 'door')}`,
  ];
}

/**
 * Functions by which interpreters call functions, about five in every stack for each of theirs. Their cost is attributed to their callers. `*`
 * matches any text.
 */
const PLUMBING: readonly string[] = [
  '_PyEval_Vector',
  '_PyFunction_Vectorcall',
  '_PyObject_Call*',
  '_PyObject_FastCall*',
  '_PyObject_MakeTpCall',
  '_PyObject_Vectorcall*',
  '_PyVectorcall_Call',
  '_Py_CheckFunctionResult',
  'PyObject_Call*',
  'PyObject_Vectorcall*',
  'cfunction_call*',
  'cfunction_vectorcall*',
  'method_vectorcall*',
  'object_vacall',
  'py_trampoline_evaluator',
  'slot_tp_call',
  'vectorcall_method',
  'Builtins_Baseline*',
  'Builtins_Call*',
  'Builtins_InterpreterEntryTrampoline*',
  'Builtins_JSEntry*',
];

/** Deeper stacks lose their outermost calls. More depth takes more time and memory: each stack is counted separately. */
const MAX_NESTED = 80;

const STACK_OPTIONS: readonly string[] = [
  `--separate-callers=${MAX_NESTED}`,
  ...PLUMBING.map((name) => `--fn-skip=${name}`),
];

/** Python from 3.12 on, and the driver's `node` (tools/load/cmd/wiregauge-load/node.go), write the addresses of the functions that they compile. */
const FUNCTION_VARIABLES = { PYTHONPERFSUPPORT: '1', WIREGAUGE_FUNCTIONS: '1' };

/** Otherwise vgdb waits 100 ms at every count before it wakes a program that waits for a request. */
export const ASKING_OPTIONS: readonly string[] = ['--max-invoke-ms=5'];

const NO_PREEMPTION = 'asyncpreemptoff=1';

/** Garbage is collected by the allocating thread, and only the fast compiler runs: the optimizing one would continue for tens of thousands of requests. */
const STEADY_JAVA = '-XX:+UseSerialGC -Xbatch -XX:TieredStopAtLevel=1 -Xmn64m';

/** Name by which the driver is started as Node.js (tools/load/cmd/wiregauge-load/node.go). */
export const STEADY_NODE = 'node';

/** Folders in which a counted program finds others. */
export interface SteadyPath {
  /** Folder in which `STEADY_NODE` is a link to the driver. */
  readonly programs: string;
  /** PATH of a program that sets none. */
  readonly usual: string;
}

/**
 * Environment that makes the starts of a service alike: Python orders its tables by the same numbers, Go's scheduler sends its threads no signals,
 * which crash callgrind, Java neither compiles nor collects during requests, and the driver starts Node.js, which takes its flags from no variable.
 * The service's own variables take precedence. With functions, their runtimes report those.
 */
export function steadyEnvironment(
  own: Readonly<Record<string, string>>,
  { programs, usual }: SteadyPath,
  { hasFunctions = false }: CountingMode = {},
): Readonly<Record<string, string>> {
  const { GODEBUG: debug, JAVA_TOOL_OPTIONS: java } = own;
  return {
    PYTHONHASHSEED: '0',
    ...own,
    ...(hasFunctions && FUNCTION_VARIABLES),
    GODEBUG: debug === undefined ? NO_PREEMPTION : `${debug},${NO_PREEMPTION}`,
    JAVA_TOOL_OPTIONS: javaOptions(STEADY_JAVA, java),
    PATH: `${programs}:${own['PATH'] ?? usual}`,
  };
}

type LocatedValgrind = ValgrindPlace & ValgrindFiles;

/** Runtime that starts services under this machine's Valgrind, which is searched once. */
export function countingRuntime(
  start: (service: Service, valgrind: LocatedValgrind, options: CountingOptions) => Promise<RunningService>,
): CountingRuntime {
  const locate = async (): Promise<LocatedValgrind> => {
    const place = await requireValgrind();
    return { ...place, ...(await valgrindFiles(place)) };
  };
  let found: Promise<LocatedValgrind> | undefined;
  const located = () => (found ??= locate());
  return {
    async counter() {
      const { name, version, architecture } = await located();
      return { name, version, architecture };
    },
    async start(service, options = {}) {
      requireOwnStart(service);
      return await start(service, await located(), options);
    },
  };
}

/** Throws MeasurementError for a service that is not started from here. */
export function requireOwnStart({ name, address }: Service): void {
  if (address !== undefined) {
    throw new MeasurementError(`${name} already runs at ${address}, but not under Valgrind`, {
      code: 'WG-311',
      next: 'Set `image` or `process`, so that Wiregauge can start it under Valgrind.',
    });
  }
}

const COUNTED = z.object({
  instructions: z.int().min(0),
  syscalls: z.int().min(0),
  allocations: z.int().min(0),
  files: z.int().min(0),
  uncounted: z.int().min(0).default(0),
  functions: z.array(executedFunctionSchema).optional(),
  calls: executedCallsSchema.optional(),
});

function countsIn(printed: string, of: string): z.infer<typeof COUNTED> {
  try {
    return COUNTED.parse(JSON.parse(printed));
  } catch (cause) {
    throw new MeasurementError(
      `the counts of ${of} cannot be read: the driver printed ${cleanText(printed, LONGEST_QUOTE)}`,
      {
        code: 'WG-311',
        cause,
        next: 'Measure again. If it fails each time, uninstall Valgrind to turn off the counts, and report this.',
      },
    );
  }
}

const LONGEST_QUOTE = 200;

/** Counts of a service from the output of the driver; throws MeasurementError if it could not read them, or if nothing was counted. */
export function countsPrinted(
  { exitCode, printed }: { readonly exitCode: number; readonly printed: string },
  of = 'the service',
): Counts {
  if (exitCode !== 0) {
    const why = printed === '' ? `the driver ended with exit code ${exitCode} and printed nothing` : printed;
    throw new MeasurementError(`the counts of ${of} cannot be read: ${why}`, {
      code: 'WG-311',
      next: 'Check that ptrace, which reads the counts, is allowed (kernel.yama.ptrace_scope, seccomp).',
    });
  }
  const { files, functions, calls, ...counts } = countsIn(printed, of);
  if (files === 0) {
    throw new MeasurementError(`no program of ${of} runs under Valgrind`, {
      code: 'WG-311',
      next: 'Its command must start the program itself, not through another one such as `docker run` or `systemctl`.',
    });
  }
  return { ...counts, ...(functions !== undefined && { functions }), ...(calls !== undefined && { calls }) };
}

/** Files of Valgrind that a container needs, by path on this machine. */
export interface ValgrindFiles {
  /** Folder of its tools, which are statically linked. */
  readonly tools: string;
  readonly vgdb: string;
  /** Loader of vgdb with its libraries; undefined and empty if it is statically linked. */
  readonly loader?: string | undefined;
  readonly libraries: readonly string[];
}

/** Finds the files of a Valgrind; throws EnvironmentError if it does not report their place. */
export async function valgrindFiles({ valgrind, vgdb }: ValgrindPlace): Promise<ValgrindFiles> {
  const tools = toolFolder(await printedBy([valgrind, '-d', '--tool=callgrind', '--version']));
  if (tools === undefined) {
    throw new EnvironmentError(`the tools of ${valgrind} were not found`, {
      code: 'WG-213',
      next: 'Install Valgrind from a package: `sudo apt-get install -y valgrind` on Debian and Ubuntu.',
    });
  }
  return { tools, vgdb, ...linkedFiles(await printedBy(['ldd', vgdb])) };
}

const MAX_LINES = 1000;

async function printedBy(argv: readonly string[]): Promise<string> {
  const child = await startChild({ argv, cwd: '/', environment: { ...process.env, LC_ALL: 'C' } });
  await child.ended;
  return child.lastLines(MAX_LINES);
}

/** Folder of the tool that the launcher starts, from its debug output. */
export function toolFolder(printed: string): string | undefined {
  return /launcher launching (\/.*)\/[^/]+$/m.exec(printed)?.[1];
}

export function linkedFiles(printed: string): Pick<ValgrindFiles, 'loader' | 'libraries'> {
  const paths = [...printed.matchAll(/(?<!\S)(\/\S+) \(0x[0-9a-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
  const loader = paths.find((path) => basename(path).startsWith('ld-'));
  return { loader, libraries: paths.filter((path) => path !== loader) };
}

/** Programs of a service, by their names in counts: itself, or its members with the entry first. */
export function countedPrograms({
  name,
  entry,
  members = [],
}: Pick<Service, 'name' | 'entry' | 'members'>): readonly string[] {
  return entry === undefined ? [name] : [entry, ...members.map((member) => member.name)];
}

/** Counts of a service from those of its programs, which `countsOf` reads by name, with their title in messages; with several, also the share of each. */
export async function countsOfAll(
  service: Pick<Service, 'name' | 'entry' | 'members'>,
  countsOf: (program: string, title: string) => Promise<Counts>,
): Promise<Counts> {
  const { entry } = service;
  const read = countedPrograms(service).map(async (program): Promise<[string, Counts]> => {
    const title = entry === undefined ? 'the service' : `${program}, a member of the service,`;
    return [program, await countsOf(program, title)];
  });
  const counted = new Map(await Promise.all(read));
  const all = [...counted.values()];
  const sum = (of: (counts: Counts) => number): number => all.reduce((total, one) => total + of(one), 0);
  const functions = functionsOfAll(all);
  const calls = entry === undefined ? all[0]?.calls : callsOfAll(counted);
  return {
    instructions: sum(({ instructions }) => instructions),
    syscalls: sum(({ syscalls }) => syscalls),
    allocations: sum(({ allocations }) => allocations),
    uncounted: sum(({ uncounted }) => uncounted),
    ...(functions !== undefined && { functions }),
    ...(calls !== undefined && { calls }),
    ...(entry !== undefined && {
      members: Object.fromEntries(
        [...counted].map(([name, { instructions, syscalls }]) => [name, { instructions, syscalls }]),
      ),
    }),
  };
}

/** Undefined if a program has none. Counts of a function in a shared library are the sum over all programs. */
function functionsOfAll(all: readonly Counts[]): readonly ExecutedFunction[] | undefined {
  const lists = all.map(({ functions }) => functions && { weight: 1, functions });
  return lists.every((list) => list !== undefined) ? unitedFunctions(lists) : undefined;
}

/** Undefined if a program has none. */
function callsOfAll(counted: ReadonlyMap<string, Counts>): readonly ExecutedCall[] | undefined {
  const lists = [...counted].map(([below, { calls }]) => ({ below, weight: 1, calls: calls ?? [] }));
  return lists.some(({ calls }) => calls.length === 0) ? undefined : unitedCalls(lists);
}
