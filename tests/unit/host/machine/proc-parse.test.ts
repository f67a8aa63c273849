import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  parseChildren,
  parseEnvironment,
  parseHostTicks,
  parseListenOverflows,
  parseLoopbackBytes,
  parseMemoryMiB,
  parseOpenFilesLimit,
  parsePressureSeconds,
  parseProcessStat,
  parseTimeWaitSockets,
} from '../../../../src/host/machine/proc-files.ts';

const recorded = (name: string) => readFileSync(join(import.meta.dirname, '../../../fixtures/proc', name), 'utf8');

describe('parseHostTicks', () => {
  it('adds user, nice, system and interrupts, and keeps steal apart', () => {
    expect(parseHostTicks(recorded('stat.txt'))).toEqual({ busy: 101393 + 13696 + 927, steal: 97 });
  });

  it('does not count guest time again, which is part of user and nice', () => {
    expect(parseHostTicks('cpu  100 20 30 4000 50 6 7 8 90 10\n')).toEqual({ busy: 163, steal: 8 });
  });

  it('refuses a text that is no /proc/stat', () => {
    expect(() => parseHostTicks('nonsense')).toThrow('does not start with the line of all CPUs');
  });
});

describe('parsePressureSeconds', () => {
  it('reads the total of "some" in seconds', () => {
    const total = Number(/some.*total=(\d+)/.exec(recorded('pressure-cpu.txt'))?.[1]);

    expect(total).toBeGreaterThan(0);
    expect(parsePressureSeconds(recorded('pressure-cpu.txt'))).toBeCloseTo(total / 1e6);
  });

  it('gives nothing for a text without that line', () => {
    expect(parsePressureSeconds('')).toBeUndefined();
  });
});

describe('network counters', () => {
  it('reads the bytes sent over loopback, not those received nor those of another interface', () => {
    const dev = `${recorded('net-dev.txt')}`.replace(/(lo: )\d+/, '$11');

    expect(parseLoopbackBytes(dev)).toBe(Number(/lo:(?:\s+\S+){8}\s+(\d+)/.exec(recorded('net-dev.txt'))?.[1]));
    expect(parseLoopbackBytes(dev)).toBeGreaterThan(1000);
  });

  it('finds ListenOverflows by its name', () => {
    const netstat = recorded('net-netstat.txt');

    expect(parseListenOverflows(netstat)).toBe(0);
    expect(
      parseListenOverflows('TcpExt: A ListenOverflows B\nTcpExt: 1 9793 3\nIpExt: ListenOverflows\nIpExt: 5\n'),
    ).toBe(9793);
    expect(parseListenOverflows('IpExt: ListenOverflows\nIpExt: 5\n')).toBe(0);
  });

  it('reads the sockets in TIME_WAIT', () => {
    expect(parseTimeWaitSockets(recorded('net-sockstat.txt'))).toBe(2);
  });
});

describe('parseProcessStat', () => {
  it('is not misled by blanks and brackets in the name', () => {
    expect(parseProcessStat(recorded('process-stat-odd-name.txt'))).toEqual({
      pid: 31676,
      name: 'a) b (c',
      state: 'S',
      parent: 31664,
      group: 31664,
      session: 19635,
      cpuTicks: 0,
      reapedTicks: 0,
      startTicks: 293958,
    });
  });

  it('adds the times of reaped children', () => {
    const stat = '7 (x) R 1 7 7 0 -1 0 0 0 0 0 11 12 130 1400 20 0 1 0 999 0';

    expect(parseProcessStat(stat)).toMatchObject({
      cpuTicks: 11 + 12 + 130 + 1400,
      reapedTicks: 1530,
      startTicks: 999,
    });
  });

  it('gives nothing for a text that is cut short', () => {
    expect(parseProcessStat('')).toBeUndefined();
    expect(parseProcessStat('7 (x) R 1 7')).toBeUndefined();
  });
});

describe('other texts', () => {
  it('takes nothing but numbers for numbers', () => {
    expect(parseHostTicks('cpu  x 2 -3 4 5 1e9 7 8\n')).toEqual({ busy: 9, steal: 8 });
    expect(parseChildren(['12 x 0 13\n'])).toEqual([12, 13]);
    expect(parseLoopbackBytes('  lo: 1 2 3 4 5 6 7 8 nine\n')).toBe(0);
    expect(parsePressureSeconds(`some avg10=0 total=${'9'.repeat(400)}`)).toBeCloseTo(1e14, -10);
  });

  it('reads the children of all threads', () => {
    expect(parseChildren(['12 13 ', '', '9 '])).toEqual([12, 13, 9]);
  });

  it('reads memory in MiB', () => {
    expect(parseMemoryMiB(recorded('smaps-rollup.txt'), 'Pss')).toBeCloseTo(40200 / 1024);
    expect(parseMemoryMiB(recorded('smaps-rollup.txt'), 'VmRSS')).toBeUndefined();
  });

  it('reads the soft limit of open files, which may be none', () => {
    expect(parseOpenFilesLimit(recorded('limits.txt'))).toBe(20000);
    expect(parseOpenFilesLimit('Max open files            unlimited            unlimited            files\n')).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('reads a variable by its whole name', () => {
    const environ = 'XWIREGAUGE_OWNER=1:1\0WIREGAUGE_OWNER=2:3=4\0';

    expect(parseEnvironment(environ, 'WIREGAUGE_OWNER')).toBe('2:3=4');
    expect(parseEnvironment(environ, 'OWNER')).toBeUndefined();
  });
});
