import { formatCount } from '../../foundation/numbers.ts';
import { callFigures, headCalls } from '../../judge/counts/need-calls.ts';
import { cellName } from '../../model/metric.ts';
import type { CallsRecord, CallsStart, NeedCalls } from '../../model/run/calls.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { attempted } from '../trial/failure.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { benchFor, HEAD_FIRST, type StartName, type VersionBench, versionTrial } from '../trial/versions.ts';

const WINDOWS = 5;

/** Requests per window; the first window of an operation warms up and is not counted. */
const REQUESTS = 10;

/** Time in which commands that a service sends without a request are counted. */
const IDLE_MS = 1000;

/** Wait after a response, for work that a service does afterwards. */
const SETTLE_MS = 20;

const STARTS = [1, 2];

/** Counts the calls of services to their needs and members: one start of each version, and another if they differ. Undefined without needs and members. */
export async function countCalls(bench: VersionBench): Promise<CallsRecord | undefined> {
  const sides = HEAD_FIRST.filter((side) => bench.versions[side] !== undefined);
  const calling = bench.suite.services.filter((name) =>
    sides.every((side) => {
      const { needs = [], members = [] } = bench.versions[side]?.services.get(name) ?? {};
      return needs.length + members.length > 0;
    }),
  );
  let record: CallsRecord = { starts: [], failures: [] };
  for (const service of calling) {
    for (const start of STARTS) {
      for (const side of start === 1 || isOpen(bench, record, service) ? sides : []) {
        record = await withStart(bench, record, { service, side, start });
      }
    }
    const figures = callFigures(bench, record);
    for (const { cell, values } of headCalls({ ...bench, calls: record }).filter(
      (one) => one.cell.service === service,
    )) {
      const base = figures.find((one) => cellName(one.cell) === cellName(cell))?.base;
      const counts = [base, values].flatMap((starts) => (starts === undefined ? [] : formatCount(Math.max(...starts))));
      bench.progress.line(`${service} ${cell.operation}: ${counts.join(' → ')} queries/request`);
    }
  }
  return calling.length === 0 ? undefined : record;
}

function isOpen(bench: VersionBench, record: CallsRecord, service: string): boolean {
  const own = callFigures(bench, record).filter(({ cell }) => cell.service === service);
  return !bench.signal.aborted && own.some(({ base, head }) => base[0] !== head[0]);
}

async function withStart(bench: VersionBench, record: CallsRecord, name: StartName): Promise<CallsRecord> {
  const { service, side } = name;
  if (bench.signal.aborted || record.failures.some((failure) => failure.service === service)) {
    return record;
  }
  const own = benchFor(bench, service);
  const prevented = `${service}, ${side}: queries could not be counted: `;
  const { result, failure } = await attempted(own, prevented, () =>
    runTrial(own, {
      ...versionTrial(own, service, [side]),
      start: (subject, signal) => subject.runtime.start(subject.service, signal, true),
      during: 'while its queries were counted',
      use: ([ready]) => callsOf(own, ready),
    }),
  );
  return {
    starts: [...record.starts, ...(result === undefined ? [] : [{ ...name, ...result }])],
    failures: [...record.failures, ...(failure === undefined ? [] : [{ service, side, ...failure }])],
  };
}

async function callsOf(bench: VersionBench, ready: ReadySubject): Promise<Omit<CallsStart, keyof StartName>> {
  const { clock, secrets } = bench;
  const take = async (): Promise<readonly NeedCalls[]> => (await ready.running.calls?.()) ?? [];
  const runAll = async (): Promise<readonly (readonly NeedCalls[])[]> => {
    const counts: (readonly NeedCalls[])[] = [];
    for (const operation of ready.operations) {
      await send(bench, ready, operation);
      await clock.sleep(SETTLE_MS, ready.signal);
      counts.push(await take());
    }
    return counts;
  };
  await runAll();
  await clock.sleep(IDLE_MS, ready.signal);
  const idle = await take();
  const windows: (readonly (readonly NeedCalls[])[])[] = [];
  for (let window = 0; window < WINDOWS; window += 1) {
    windows.push(await runAll());
  }
  const unread = new Map(
    [idle, ...windows.flat()].flat().flatMap((one) => (one.unread === '' ? [] : [[one.name, one.unread] as const])),
  );
  return {
    idle: [...new Set(idle.flatMap(({ commands }) => Object.keys(commands).map(secrets.mask)))],
    unread: [...unread].map(([need, reason]) => ({ need, reason })),
    operations: ready.operations.flatMap(({ name: operation }, place) =>
      idle.map(({ name: need }, index) => {
        const own = windows.flatMap((window) => window[place]?.[index] ?? []);
        return {
          ...{ operation, need, requests: REQUESTS },
          connections: own.map(({ connections }) => connections),
          roundTrips: own.map(({ roundTrips }) => roundTrips),
          bytes: own.map(({ sentBytes, receivedBytes }) => sentBytes + receivedBytes),
          commands: Object.fromEntries(
            [...new Set(own.flatMap(({ commands }) => Object.keys(commands)))].map((text) => [
              secrets.mask(text),
              own.map(({ commands }) => commands[text] ?? 0),
            ]),
          ),
        };
      }),
    ),
  };
}

/** Sends requests one after another, with the same arguments in each window and version. */
async function send({ client }: VersionBench, ready: ReadySubject, operation: Operation): Promise<void> {
  const { service, running, signal } = ready;
  const { requests } = PROTOCOLS[service.protocol].target(operation, service, running.address);
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    const request = requests[sent % requests.length];
    signal.throwIfAborted();
    if (request !== undefined) {
      await client.call(service, running.address, request);
    }
  }
}
