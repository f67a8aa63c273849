import { describe, expect, test } from 'vitest';
import { marking, summariseMachine } from '../../../../src/measure/samples/machine.ts';
import type { Reading } from '../../../../src/model/runner.ts';

function reading(atMs: number, cpuSeconds: number, changes: Partial<Reading['host']> = {}): Reading {
  return {
    atMs,
    service: {
      cpuSeconds,
      memoryMiB: 40,
      peakMemoryMiB: 40 + cpuSeconds,
      wireBytes: cpuSeconds * 1000,
    },
    loadCpuSeconds: cpuSeconds / 2,
    host: {
      busySeconds: cpuSeconds * 1.5,
      stealSeconds: 0,
      cpuPressureSeconds: undefined,
      listenOverflows: 0,
      timeWaitSockets: 0,
      ...changes,
    },
  };
}

describe('summariseMachine', () => {
  test('divides CPU time and bytes by the requests answered between the readings', () => {
    const summary = summariseMachine([[reading(1000, 1), reading(2000, 1.25), reading(3000, 1.5)]], 1000);

    expect(summary?.values).toMatchObject({
      cpuMicrosPerRequest: 500,
      serviceCpuShare: 0.25,
      loadCpuShare: 0.125,
      wireBytesPerRequest: 0.5,
      // 500 bytes in two seconds.
      wireMegabytesPerSecond: 0.00025,
      peakMemoryMiB: 41.5,
    });
  });

  test('separates the use of members, and leaves out what cannot be seen', () => {
    const at = (atMs: number, cpuSeconds: number, receivedBytes?: number): Reading => ({
      ...reading(atMs, cpuSeconds),
      members: {
        front: { cpuSeconds: cpuSeconds * 0.75, peakMemoryMiB: 20 + cpuSeconds, receivedBytes, sentBytes: 10 * atMs },
        back: { cpuSeconds: cpuSeconds * 0.25, peakMemoryMiB: 10 },
      },
    });

    expect(summariseMachine([[at(1000, 1, 0), at(2000, 2), at(3000, 3)]], 1000)?.members).toEqual({
      front: {
        cpuMicrosPerRequest: 1500,
        peakMemoryMiB: 23,
        receivedBytesPerRequest: undefined,
        sentBytesPerRequest: 20,
      },
      back: {
        cpuMicrosPerRequest: 500,
        peakMemoryMiB: 10,
        receivedBytesPerRequest: undefined,
        sentBytesPerRequest: undefined,
      },
    });
    expect(summariseMachine([[reading(1000, 1), at(2000, 2)]], 1)?.members).toBeUndefined();
  });

  test('sees CPU time of others, and takes a rounding difference for none', () => {
    const foreign = summariseMachine([[reading(0, 0), reading(1000, 0.5, { busySeconds: 1.75 })]], 1);
    const rounding = summariseMachine([[reading(0, 0), reading(1000, 0.5, { busySeconds: 0.74 })]], 1);

    expect(foreign?.host.foreignCpuShare).toBe(1);
    expect(rounding?.host.foreignCpuShare).toBe(0);
  });

  test('sums the use in spans, and leaves out what was used between them', () => {
    const spans = [
      [reading(0, 0), reading(1000, 0.5)],
      [reading(9000, 8), reading(10_000, 8.25)],
    ];

    expect(summariseMachine(spans, 1000)?.values).toMatchObject({
      cpuMicrosPerRequest: 750,
      serviceCpuShare: 0.375,
      peakMemoryMiB: 48.25,
    });
  });

  test('says nothing from a single reading', () => {
    expect(summariseMachine([[reading(0, 0)]], 1)).toBeUndefined();
  });

  test('gives no figure per request where nothing was answered', () => {
    const summary = summariseMachine([[reading(0, 0), reading(1000, 1)]], 0);

    expect(summary?.values).not.toHaveProperty('cpuMicrosPerRequest');
    expect(summary?.values.serviceCpuShare).toBe(1);
  });

  test('says nothing of what cannot be seen of a service, and takes none of it for the work of others', () => {
    const unseen = { cpuSeconds: undefined, memoryMiB: undefined, peakMemoryMiB: undefined, wireBytes: undefined };
    const readings = [reading(0, 0), reading(1000, 1)].map((one) => ({ ...one, service: unseen }));

    const summary = summariseMachine([readings], 10);

    expect(summary?.values).toEqual({ loadCpuShare: 0.5 });
    expect(summary?.host.foreignCpuShare).toBe(0);
  });

  test('counts what a service needs neither as its own nor as the work of others', () => {
    const readings = [
      { ...reading(0, 0), needsCpuSeconds: 5 },
      { ...reading(1000, 0.5, { busySeconds: 1 }), needsCpuSeconds: 5.25 },
    ];

    const summary = summariseMachine([readings], 1);

    expect(summary?.values.serviceCpuShare).toBe(0.5);
    expect(summary?.host).toMatchObject({ needsCpuShare: 0.25, foreignCpuShare: 0 });
  });
});

test('a service whose members have a core each is at its limit when the busiest of them is', () => {
  const members = { front: { cpuMicrosPerRequest: 60 }, back: { cpuMicrosPerRequest: 40 } };
  const machine = {
    values: { serviceCpuShare: 1.5, cpuMicrosPerRequest: 100 },
    members,
    host: { stealShare: 0, foreignCpuShare: 0, listenOverflows: 0, timeWaitSockets: 0 },
  };

  expect(marking(machine, true).serviceCpuShare).toBeCloseTo(0.9, 9);
  expect(marking(machine, false)).toBe(machine.values);
  expect(marking({ ...machine, values: { serviceCpuShare: 1.5 } }, true)).toEqual({ serviceCpuShare: 1.5 });
  expect(marking(undefined, true)).toEqual({});
});
