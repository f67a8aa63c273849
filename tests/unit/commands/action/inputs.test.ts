import { describe, expect, test } from 'vitest';
import { readInputs, stepInputs } from '../../../../src/commands/action/inputs.ts';

const read = (inputs: Readonly<Record<string, string>>) => stepInputs(new Map(Object.entries(inputs)));

describe('stepInputs', () => {
  test('is empty if nothing is given', () => {
    expect(read({})).toEqual({});
  });

  test('reads each input as its flag does', () => {
    expect(
      read({ args: '--services rest,grpc --shards=auto --rounds 3', budget: '5m', shard: '1/2', 'fail-on': 'never' }),
    ).toEqual({
      services: ['rest', 'grpc'],
      budget: 300,
      shard: { index: 1, of: 2 },
      shards: 'auto',
      rounds: 3,
      'fail-on': 'never',
    });
    expect(read({ upload: 'false', 'check-run': 'true', args: `--policy='a b.yml' --base "v 1" --always` })).toEqual({
      upload: false,
      'check-run': true,
      policy: 'a b.yml',
      base: 'v 1',
      always: true,
    });
  });

  test.each([
    [{ mode: 'fast' }, /`mode` is "fast"/, /Use one of: auto, compare, run/],
    [{ args: '--rutime docker' }, /`args`: Unknown option '--rutime'/, /^Options: .*--runtime/],
    [{ args: 'saturate --rounds 3' }, /`args`: saturate is none of compare --anchor, compare, run, /, /^Options: /],
    [{ args: '--rounds' }, /`args`: Option '--rounds <value>' argument missing/, /^Options: /],
    [{ args: 'constructor' }, /`args`: constructor is none of compare/, /^Options: /],
    [{ args: '--anchor' }, /`args`: --anchor is an option of compare/, /^Options: /],
    [{ args: 'compare --plant 5%' }, /`args`: --plant is an option of calibrate/, /^Options: /],
    [{ args: '--base "v 1' }, /`args`: a quote has no end/, /^Options: /],
    [
      { args: '--runtime containers' },
      /`runtime` is "containers"/,
      /auto, docker, process, kubernetes\. Did you mean docker\?$/,
    ],
    [{ profile: 'fast' }, /`profile` is "fast"/, /Profiles: .*quick, standard/],
    [{ budget: 'little' }, /`budget` is "little"/, /90s, 10m or 1h/],
    [{ shard: '3/2' }, /`shard` is "3\/2"/, /1\/2/],
    [{ comment: 'loud' }, /`comment` is "loud"/, /auto, always, on-change, never/],
    [{ publish: 'yes' }, /`publish` is "yes"/, /auto, always, never/],
    [{ upload: 'yes' }, /`upload` is "yes"/, /true, false/],
    [{ 'check-run': 'True' }, /`check-run` is "True"/, /true, false/],
    [{ artifact: 'wiregauge/rest' }, /`artifact` is "wiregauge\/rest"/, /at most 200 characters/],
    [{ artifact: 'a\nb' }, /`artifact` is "a\\nb"/, /at most 200 characters/],
    [{ artifact: 'x'.repeat(201) }, /`artifact` is "x+"/, /at most 200 characters/],
    [{ budgt: '5m' }, /there is no input `budgt`/, /^Did you mean `with: \{ budget: … \}`\? Inputs: /],
  ])('refuses %o, and says what to write', (inputs, message, next) => {
    const refused = () => read(inputs);

    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ next: expect.stringMatching(next) }));
  });

  test.each([
    [{ mode: 'anchor' }, 'args: compare --anchor', { args: 'compare --anchor' }],
    [{ mode: 'calibrate' }, 'args: calibrate', { args: 'calibrate' }],
    [{ mode: 'plant' }, 'args: calibrate --plant 5%', { args: 'calibrate --plant 5%' }],
    [{ mode: 'plan' }, 'args: shards plan', { args: 'shards plan' }],
    [{ mode: 'merge' }, 'mode: comment', { args: 'shards merge' }],
    [{ mode: 'command' }, 'args: github command', { args: 'github command' }],
    [{ services: 'a,b' }, 'args: --services a,b', { args: '--services=a,b' }],
    [{ always: 'true' }, 'args: --always', { args: '--always' }],
    [{ against: 'baseline' }, 'args: --against history:baselines', { args: '--against history:baselines' }],
    [{ profiler: 'never' }, 'args: --profiler off', { args: '--profiler off' }],
    [{ 'alert-format': 'slack' }, 'args: --alert-format slack', { args: '--alert-webhook slack' }],
  ])('reads the former %o as %s', (former, current, equal) => {
    expect(read(former)).toEqual(read(equal));
    expect(readInputs(new Map(Object.entries(former))).changes).toEqual([[expect.any(String), current]]);
    expect(readInputs(new Map(Object.entries(equal))).changes).toEqual([]);
  });

  test.each([
    '--alert-webhook hooks.test/T/secret',
    '--always https://hooks.test/secret',
    '--secret=https://a.test/secret',
  ])('refuses %s without repeating the address, which enters a comment', (args) => {
    expect(() => read({ args })).toThrow(expect.objectContaining({ message: expect.not.stringContaining('/secret') }));
  });

  test('reads a former mode and its command in args as one', () => {
    expect(read({ mode: 'calibrate', args: 'calibrate --plant 7%' })).toEqual(read({ args: 'calibrate --plant 7%' }));
    expect(read({ mode: 'anchor', args: 'compare --rounds 3' })).toEqual(read({ args: 'compare --anchor --rounds 3' }));
  });

  test('reads the other inputs if a mode contradicts args', () => {
    const given = { mode: 'calibrate', args: 'run', comment: 'never', budgt: '5m' };

    expect(readInputs(new Map(Object.entries(given))).inputs).toEqual({ comment: 'never' });
  });

  test('keeps former inputs with their default as defaults', () => {
    expect(read({ always: 'false', profiler: 'auto' })).toEqual({});
  });

  test('names all mistakes at once', () => {
    expect(() => read({ budgt: '5m', mode: 'fast', rounds: '0' })).toThrow(
      /no input `budgt`; the input `mode` is "fast"; the input `rounds` is "0"/,
    );
  });
});
