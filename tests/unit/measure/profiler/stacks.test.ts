import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nodeProfile } from '../../../../src/measure/profiler/node.ts';
import { perfStacks, pySpyStacks } from '../../../../src/measure/profiler/programs.ts';
import { foldStacks, frameOf, type Stack } from '../../../../src/measure/profiler/stacks.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/profiler/${name}`, import.meta.url), 'utf8');

const selfOf = (stacks: readonly Stack[]) =>
  foldStacks(stacks)
    .functions.filter(({ self }) => self > 0)
    .map(({ name, object, self }) => [name, object, self]);

const stack = (names: string, count = 1): Stack => ({
  frames: names.split(' ').map((name) => frameOf(name, '/srv/app.py')),
  count,
});

describe('what profilers wrote', () => {
  test('py-spy', () => {
    expect(selfOf(pySpyStacks(fixture('py-spy.txt')))).toEqual([
      ['<genexpr>', 'work.py', 104],
      ['slow', 'work.py', 56],
      ['fast', 'work.py', 39],
    ]);
  });

  test('py-spy, of a command with quotes and a semicolon in it', () => {
    const line =
      'process 7:"python -c \\"a; b (c:1) 3\\"";<module> (<string>:1);work (/srv/a b/app.py:3) 12\nhalf a line';
    expect(pySpyStacks(line)).toEqual([
      {
        frames: [
          { name: '<module>', object: '<string>' },
          { name: 'work', object: 'app.py' },
        ],
        count: 12,
      },
    ]);
  });

  test('perf', () => {
    const stacks = perfStacks(fixture('perf.txt'));
    expect(stacks[0]).toEqual({
      frames: [
        { name: 'runtime.goexit.abi0', object: 'g' },
        { name: 'runtime.main', object: 'g' },
        { name: 'main.slow', object: 'g' },
      ],
      count: 1,
    });
    expect(selfOf(stacks)[0]).toEqual(['main.slow', 'g', expect.any(Number)]);
  });

  test('perf, of the kernel, of Rust, and of a program without symbols', () => {
    const text = [
      'srv  12 ',
      '\tffffffff8 do_syscall_64 ([kernel.kallsyms])',
      '\t    7f01 app::work::h0123456789abcdef (/srv/app)',
      '\t    7f02 [unknown] (/srv/app)',
      '',
    ].join('\n');
    expect(perfStacks(text)[0]?.frames).toEqual([
      { name: '???', object: 'app' },
      { name: 'app::work', object: 'app' },
      { name: 'do_syscall_64', object: 'kernel' },
    ]);
  });

  test('Node.js, without the time in which nothing was executed', () => {
    const { version, stacks } = nodeProfile(fixture('node.cpuprofile'));
    expect(version).toMatch(/^v20\./);
    expect(selfOf(stacks)[0]).toEqual(['slow', 'n.mjs', 299]);
    expect(selfOf(stacks).map(([name]) => name)).not.toContain('(idle)');
  });

  test('Node.js: nodes that call each other end somewhere, and what is not a profile is refused', () => {
    const node = (id: number, child: number) => ({
      ...{ id, hitCount: 1, children: [child] },
      callFrame: { functionName: `f${id}`, url: '' },
    });
    const { stacks } = nodeProfile(JSON.stringify({ nodes: [node(1, 2), node(2, 1)] }));
    expect(stacks).toHaveLength(2);
    expect(() => nodeProfile('{"nodes":')).toThrow(/cannot be read/);
  });

  test('Node.js: a cycle of many nodes is refused, and unsampled ones cost nothing', () => {
    const circle = (hitCount: number) => {
      const nodes = Array.from({ length: 3_000 }, (_, id) => ({
        ...{ id, hitCount, children: [(id + 1) % 3_000] },
        callFrame: { functionName: 'f', url: '' },
      }));
      return JSON.stringify({ nodes });
    };

    expect(() => nodeProfile(circle(1))).toThrow(/cannot be read: it has more than 2000000 calls/);
    expect(nodeProfile(circle(0)).stacks).toEqual([]);
  });
});

describe('foldStacks', () => {
  test('reports how often a function was the innermost one, how often it was there, and who called whom', () => {
    expect(foldStacks([stack('main work', 3), stack('main', 1), stack('main work sort', 2)])).toEqual({
      stacks: 6,
      functions: [
        { name: 'work', object: 'app.py', self: 3, inclusive: 5 },
        { name: 'sort', object: 'app.py', self: 2, inclusive: 2 },
        { name: 'main', object: 'app.py', self: 1, inclusive: 6 },
      ],
      calls: [
        { name: 'main', object: 'app.py', parent: -1, inclusive: 6 },
        { name: 'work', object: 'app.py', parent: 0, inclusive: 5 },
        { name: 'sort', object: 'app.py', parent: 1, inclusive: 2 },
      ],
    });
  });

  test('counts a function that calls itself once for each stack, and keeps the innermost one of the deepest', () => {
    const deep = stack(`${'walk '.repeat(5000)}leaf`, 4);
    const { functions, calls } = foldStacks([deep]);
    expect(functions).toEqual([
      { name: 'leaf', object: 'app.py', self: 4, inclusive: 4 },
      { name: 'walk', object: 'app.py', self: 0, inclusive: 4 },
    ]);
    expect(calls).toHaveLength(100);
  });

  test('takes names of any length, and none', () => {
    expect(frameOf('x'.repeat(500), `/${'y'.repeat(500)}`)).toEqual({ name: 'x'.repeat(200), object: 'y'.repeat(100) });
    expect(frameOf(' ', '')).toEqual({ name: '???', object: '' });
  });
});
