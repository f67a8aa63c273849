import { expect, test } from 'vitest';
import type { Cores } from '../../../src/host/machine/machine.ts';
import { coreLimitOf, type Member, type Service } from '../../../src/model/service.ts';
import { managedEnvironment, memberCore, refuseTooFewCores, serviceCores } from '../../../src/runtime/needs.ts';
import { onCore, type Site } from '../../../src/runtime/process/site.ts';
import { restService } from '../../support/suite.ts';

const member = (name: string): Member => ({
  name,
  image: undefined,
  process: { build: [], command: [name] },
  port: 0,
  environment: {},
  ready: { check: { kind: 'usual' }, timeoutSeconds: 1 },
  needs: [],
  fresh: 'slot',
});

const CHAIN: Service = { ...restService('shop'), entry: 'front', members: [member('bus'), member('back')] };
const APART: Service = { ...CHAIN, cores: 'each' };
const FOUR: Cores = { service: 2, load: 5, further: [6, 9] };

test('members share the core of their service, unless each asks for its own', () => {
  const names = ['bus', 'back'];

  expect(names.map((name) => memberCore(FOUR, CHAIN, name))).toEqual([2, 2]);
  expect(names.map((name) => memberCore(FOUR, APART, name))).toEqual([6, 9]);
});

test.each<[string, Cores, number]>([
  ['two', { service: 0, load: 1, further: [] }, 2],
  ['three', { service: 0, load: 1, further: [2] }, 3],
  ['one', { service: 0, load: 0 }, 1],
])('too few of them are reported before anything is started: %s', (_, cores, count) => {
  expect(() => refuseTooFewCores([CHAIN], cores)).not.toThrow();
  expect(() => refuseTooFewCores([CHAIN, APART], cores)).toThrow(
    expect.objectContaining({
      message: `shop: \`cores: each\` needs 4 cores, one for each of its 3 members and one for the load tool, but Wiregauge may use only ${count} core${count === 1 ? '' : 's'}`,
      next: 'Remove `cores` from shop, so that its members share a core, or measure on a machine with 4 cores.',
    }),
  );
  expect(() => refuseTooFewCores([APART], FOUR)).not.toThrow();
});

test('a plain process is kept to its core as the service is', () => {
  const site = { onServiceCore: ['prlimit', '--nofile=4096:4096', 'taskset', '-c', '2'] } as unknown as Site;

  expect(onCore(site, 6)).toEqual(['prlimit', '--nofile=4096:4096', 'taskset', '-c', '6']);
});

test('a service may have several cores, its own first, and never that of the load tool', () => {
  expect(serviceCores(FOUR, restService('shop'))).toEqual([2]);
  expect(serviceCores(FOUR, { ...restService('shop'), cores: 3 })).toEqual([2, 6, 9]);
  const site = { onServiceCore: ['taskset', '-c', '2'] } as unknown as Site;
  expect(onCore(site, 2, 6, 9)).toEqual(['taskset', '-c', '2,6,9']);
});

test('more cores than there are next to that of the load tool are refused', () => {
  const wide = { ...restService('shop'), cores: 4 };

  expect(() => refuseTooFewCores([{ ...wide, cores: 3 }], FOUR)).not.toThrow();
  expect(() => refuseTooFewCores([wide], FOUR)).toThrow(
    expect.objectContaining({
      message:
        'shop: `cores: 4` needs 5 cores, 4 for the service and one for the load tool, but Wiregauge may use only 4 cores',
      next: 'Set `cores` of shop to a smaller number, or measure on a machine with 5 cores.',
    }),
  );
});

test('several cores are what a closed loop has to fill', () => {
  expect(coreLimitOf({ ...restService('shop'), cores: 4 })).toBe(4);
  expect(coreLimitOf({ ...restService('shop'), cores: 4, limits: { cpus: 0.5 } })).toBe(2);
  expect(coreLimitOf({ ...restService('shop'), limits: { cpus: 0.5 } })).toBe(0.5);
});

test('of a variant the service is named that has them in its file', () => {
  const variant = { of: 'shop', name: 'wide', environment: {} };
  const wide = { ...restService('shop.wide'), cores: 4, variant };

  expect(() => refuseTooFewCores([wide], FOUR)).toThrow(
    expect.objectContaining({ next: expect.stringMatching(/^Set `cores` of shop to a smaller number/) }),
  );
});

test('a JVM and .NET get the number of measured cores, and what a service says itself wins', () => {
  expect(managedEnvironment({ MODE: 'fast' }, { cores: 12 })).toEqual({
    MODE: 'fast',
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=12',
    DOTNET_PROCESSOR_COUNT: 'c',
  });
  const own = { JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=4', DOTNET_PROCESSOR_COUNT: '4' };
  expect(managedEnvironment(own, { cores: 1 })).toEqual({
    ...own,
    // The last of them counts.
    JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=1 -XX:ActiveProcessorCount=4',
  });
});

test('a JVM compiles with C1 alone, unless the service says otherwise', () => {
  const own = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=4' };

  expect(managedEnvironment(own, { cores: undefined, compiler: 'C1' })).toEqual({
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:TieredStopAtLevel=4',
  });
  expect(managedEnvironment({}, {})).toEqual({});
});
