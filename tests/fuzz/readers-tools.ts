import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  parseChildren,
  parseEnvironment,
  parseHostTicks,
  parseListeners,
  parseListenOverflows,
  parseLoopbackBytes,
  parseMemoryMiB,
  parseOpenFilesLimit,
  parsePressureSeconds,
  parseProcessStat,
  parseTimeWaitSockets,
} from '../../src/host/machine/proc-files.ts';
import { nodeProfile } from '../../src/measure/profiler/node.ts';
import { pprofStacks } from '../../src/measure/profiler/pprof-format.ts';
import { perfStacks, pySpyStacks } from '../../src/measure/profiler/programs.ts';
import { foldStacks, type Stack } from '../../src/measure/profiler/stacks.ts';
import { ownSample } from '../../src/measure/samples/own.ts';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import { profilerSchema } from '../../src/model/run/functions.ts';
import { textOfFrames } from '../../src/runtime/docker/container.ts';
import { cgroupOf } from '../../src/runtime/docker/counters.ts';
import type { DriverEnd } from '../../src/runtime/driver/channel.ts';
import { openDriver } from '../../src/runtime/driver/driver.ts';
import { recordedFile } from '../support/record-file.ts';
import { METRIC_NAMES_THERE, metricsPage } from '../support/sample-metrics.ts';
import { changedBytes } from './edits-bytes.ts';
import { changedJson } from './edits-json.ts';
import { changedText } from './edits-text.ts';
import { type Reader, readerOf, readOrRefuse } from './outcome.ts';

const fixture = (path: string): Buffer => readFileSync(new URL(`../fixtures/${path}`, import.meta.url));

const RECORDS = (['ok', 'statuses', 'refused'] as const).map((name) => Buffer.from(recordedFile(name)));

/** Throws if a failure is of no kind, or columns differ in their length. */
function readRecordFile(bytes: Uint8Array): void {
  const { startMs, latencyMs, failure, failureKinds } = readRecords(bytes) ?? {
    startMs: [],
    latencyMs: [],
    failure: [],
    failureKinds: [],
  };
  if ([...failure].some((code) => code > failureKinds.length)) {
    throw new Error('a failure is of no kind');
  }
  if (startMs.length !== latencyMs.length || startMs.length !== failure.length) {
    throw new Error(`${startMs.length} starts, ${latencyMs.length} latencies and ${failure.length} ends`);
  }
}

function refuseNoNumbers(found: Iterable<number>, what: string): void {
  for (const number of found) {
    if (!Number.isFinite(number)) {
      throw new Error(`${what} has ${number}`);
    }
  }
}

/** Says the lines of a text to somebody who asked a driver for two things, and ends. */
async function hearDriver(text: string): Promise<void> {
  let say: (line: string) => void = () => undefined;
  let end: (value: DriverEnd) => void = () => undefined;
  const ended = new Promise<DriverEnd>((resolve) => {
    end = resolve;
  });
  const channel = { send: () => undefined, ended, end: async () => undefined };
  const driver = await openDriver(async (heard) => {
    say = heard;
    return channel;
  });
  const answers = [driver.play([]), driver.cpuTimes([1])].map((answer) => readOrRefuse(() => answer));
  for (const line of text.split('\n')) {
    say(line);
  }
  end({ how: 'with exit code 0', lastLines: '' });
  await Promise.all(answers);
}

const DRIVER = [
  '{"id":1,"startedNs":1,"endedNs":2,"results":[{"error":""}]}\n{"id":2,"cpuNs":[1,-1],"ownNs":3,"atNs":4}\n',
  '{"id":2,"cpuNs":[1],"ownNs":3,"atNs":4}\n{"id":1,"startedNs":1,"endedNs":2,"results":[]}\n',
];

const proc = (name: string): string => fixture(`proc/${name}.txt`).toString();

const PROC = [
  ...[
    'stat',
    'net-dev',
    'net-netstat',
    'net-sockstat',
    'pressure-cpu',
    'process-stat-odd-name',
    'smaps-rollup',
    'limits',
  ].map(proc),
  '  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 1000 0 11 1 0\n',
  'A=1\0WIREGAUGE_OWNER=2:3\0',
];

/** The kernel's files are read as they are: no number may be none, and only the first line of /proc/stat is asked for. */
function readProcTexts(text: string): void {
  refuseNoNumbers(Object.values(hostTicks(text)), 'ticks');
  const { name: _name, state: _state, ...stat } = parseProcessStat(text) ?? { name: '', state: '' };
  refuseNoNumbers(Object.values(stat), 'a process');
  refuseNoNumbers(
    [
      ...[parseLoopbackBytes(text), parseListenOverflows(text), parseTimeWaitSockets(text)],
      ...[parsePressureSeconds(text) ?? 0, parseMemoryMiB(text, 'Pss') ?? 0],
      ...parseChildren([text]),
    ],
    'a counter',
  );
  parseOpenFilesLimit(text);
  parseEnvironment(text, 'WIREGAUGE_OWNER');
  parseListeners(text);
}

function hostTicks(text: string): object {
  try {
    return parseHostTicks(text);
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.startsWith('/proc/stat ')) {
      return {};
    }
    throw thrown;
  }
}

const CONTAINER = '4d02d7190236d97e2346ac9ddcb714c180a44430b0271090f5f1433371810694';
const SCOPE = `cgroup/system.slice/docker-${CONTAINER}.scope`;
const CGROUP_FILES = ['cpu.stat', 'memory.current', 'memory.peak', 'memory.stat'];

/** All files of a control group in one text. */
const CGROUP = ['proc/4711/cgroup', ...CGROUP_FILES.map((name) => `${SCOPE}/${name}`)]
  .map((path) => fixture(`cgroup/v2/${path}`).toString())
  .join('\u001e');

/** What cannot be read counts as no group, so that the engine is asked instead. */
function readCgroup(text: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-cgroup-'));
  try {
    const [membership = '', ...files] = text.split('\u001e');
    mkdirSync(join(folder, 'proc/4711'), { recursive: true });
    mkdirSync(join(folder, SCOPE), { recursive: true });
    writeFileSync(join(folder, 'proc/4711/cgroup'), membership);
    for (const [index, name] of CGROUP_FILES.entries()) {
      writeFileSync(join(folder, SCOPE, name), files[index] ?? '');
    }
    const group = cgroupOf(4711, CONTAINER, { proc: join(folder, 'proc'), cgroup: join(folder, 'cgroup') });
    const { cpuSeconds = 0, memoryMiB = 0, peakMemoryMiB = 0 } = group?.() ?? {};
    refuseNoNumbers([cpuSeconds, memoryMiB, peakMemoryMiB], 'a counter');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As the engine frames what a container prints. */
const FRAMES = Buffer.concat(
  ['a line\n', 'another\n'].map((line) =>
    Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, line.length]), Buffer.from(line)]),
  ),
);

/** Pages of services: whatever they say, no figure is none. */
function readMetrics(text: string): void {
  const page = { program: 'api', names: METRIC_NAMES_THERE, text };
  const before = { ...page, text: metricsPage({ requested: 5, listed: 7 }) };
  for (const around of [
    { before: [before], after: [page] },
    { before: [page], after: [before] },
  ]) {
    const figures = ownSample([], around)?.programs.flatMap((program) => program.figures) ?? [];
    for (const { count = 0, mean = 0, quantiles = [] } of figures) {
      refuseNoNumbers(
        [count, mean, ...quantiles.flatMap(({ share, value, from }) => [share, value, from])],
        'a metric',
      );
    }
  }
}

/** Whatever a profiler, or a service in its place, has written: run.json takes what is kept of it. */
function readStacks<Written>(stacksIn: (written: Written) => readonly Stack[]): (written: Written) => void {
  const frame = { service: 'api', side: 'head', profiler: 'perf', version: '', share: 1 };
  return (written) => {
    profilerSchema.parse({ sampled: [{ ...frame, ...foldStacks(stacksIn(written)) }], missing: [] });
  };
}

const profiles = (name: string): readonly string[] => [fixture(`profiler/${name}`).toString()];

/** Readers of what programs and the kernel have written. */
export const TOOL_READERS: readonly Reader[] = [
  readerOf('records of the driver', changedBytes(RECORDS), readRecordFile),
  readerOf('answers of the driver', changedText(DRIVER), hearDriver),
  readerOf('files of the kernel', changedText(PROC), readProcTexts),
  readerOf('files of a control group', changedText([CGROUP]), readCgroup),
  readerOf('metrics of a service', changedText([metricsPage({ requested: 80, listed: 20 })]), readMetrics),
  readerOf('stacks of py-spy', changedText(profiles('py-spy.txt')), readStacks(pySpyStacks)),
  readerOf('stacks of perf', changedText(profiles('perf.txt')), readStacks(perfStacks)),
  readerOf(
    'a profile of Node.js',
    changedJson(profiles('node.cpuprofile')),
    readStacks((text) => nodeProfile(text).stacks),
  ),
  readerOf('a profile of pprof', changedBytes([gunzipSync(fixture('profiler/go.pprof.gz'))]), readStacks(pprofStacks)),
  readerOf('a log of the engine', changedBytes([FRAMES]), textOfFrames),
];
