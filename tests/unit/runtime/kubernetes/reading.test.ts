import { expect, test } from 'vitest';
import {
  listensOn,
  memberCounters,
  type Others,
  podReading,
  podUseSchema,
  runnerOf,
} from '../../../../src/runtime/kubernetes/reading.ts';

const USE = podUseSchema.parse({
  atNs: 1_700_000_000_500_000_000,
  cpuNs: 2_500_000_000,
  memoryKiB: 2048,
  peakKiB: 4096,
  cores: 4,
  files: {
    stat: 'cpu  100 0 50 1000 0 0 0 25 0 0',
    'pressure/cpu': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=3000000',
    'net/dev': '  lo: 9 0 0 0 0 0 0 0 9 0\n eth0: 1000 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n',
    'net/netstat': 'TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 0 7\n',
    'net/sockstat': 'TCP: inuse 1 orphan 0 tw 3 alloc 1 mem 1\n',
    'net/tcp':
      '  sl  local_address rem_address   st\n   0: 00000000:1F91 00000000:0000 01 00000000:00000000 00:00000000 00000000 0 0 11\n',
    'net/tcp6':
      '   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12\n',
    cpuinfo: 'processor\t: 0\nmodel name\t: A CPU @ 3 GHz\n',
    meminfo: 'MemTotal:        8388608 kB',
    'sys/kernel/osrelease': '6.8.0\n',
    'self/cgroup': '0::/',
  },
});

const others = (more: Partial<Others> = {}): Others => ({
  load: { busiest: 0.25, onNode: 0.25 },
  needs: undefined,
  members: [],
  entry: undefined,
  ...more,
});

test('a line of the reader is a reading by the clock of the node', () => {
  expect(podReading(USE, others())).toEqual({
    atMs: 1_700_000_000_500,
    service: { cpuSeconds: 2.5, memoryMiB: 2, peakMemoryMiB: 4, wireBytes: 1500 },
    loadCpuSeconds: 0.25,
    host: { busySeconds: 1.5, stealSeconds: 0.25, cpuPressureSeconds: 3, listenOverflows: 7, timeWaitSockets: 3 },
  });
});

test('of several load generators, the busiest counts, and those on another node are not programs of this one', () => {
  const use = (onNode: number) => podReading(USE, others({ load: { busiest: 0.25, onNode } }));

  expect(use(0)).toEqual({ ...use(0.25), host: { ...use(0.25).host, busySeconds: 1.75 } });
  expect(use(0.75).host.busySeconds).toBe(1);
});

test('members are read each and together, and needs are not programs of others', () => {
  const store = memberCounters(USE);
  const alone = podReading(USE, others());

  const seen = podReading(USE, others({ needs: 0.5, entry: 'api', members: [['store', store]] }));

  expect(store).toEqual({ cpuSeconds: 2.5, peakMemoryMiB: 4, receivedBytes: 1000, sentBytes: 500 });
  expect(seen.service).toEqual({ ...alone.service, cpuSeconds: 5, peakMemoryMiB: 8, wireBytes: undefined });
  expect(seen.members).toEqual({ api: { cpuSeconds: 2.5, peakMemoryMiB: 4 }, store });
  expect(seen.host.busySeconds).toBe(alone.host.busySeconds - 0.5);
});

test.each([{ needs: 0 }, { entry: 'api', members: [['store', memberCounters(USE)]] as const }])(
  'bytes of a service are unknown if its pod also talks to others: %#',
  (more) => {
    expect(podReading(USE, others(more)).service.wireBytes).toBeUndefined();
  },
);

test('the machine of a run is that of the node', () => {
  expect(runnerOf(USE, 'x64', 'kubernetes v1.34.4')).toEqual({
    cpuModel: 'A CPU @ 3 GHz',
    cores: 4,
    memoryMiB: 8192,
    platform: 'linux-x64',
    kernel: '6.8.0',
    node: process.version,
    cgroup: 'v2',
    engine: 'kubernetes v1.34.4',
  });
});

test('a port is open once a program listens on it, not when it has a connection', () => {
  expect([8080, 8081, 80].map((port) => listensOn(USE, port))).toEqual([true, false, false]);
});
