import { describe, expect, test } from 'vitest';
import { stepInputs } from '../../../../src/commands/action/inputs.ts';

const read = (inputs: Readonly<Record<string, string>>) => stepInputs(new Map(Object.entries(inputs)));

describe('stepInputs', () => {
  test('is empty if nothing is given', () => {
    expect(read({})).toEqual({});
  });

  test('reads each input as its flag does', () => {
    expect(
      read({ services: 'rest,grpc', budget: '5m', shard: '1/2', shards: 'auto', rounds: '3', 'fail-on': 'never' }),
    ).toEqual({
      services: ['rest', 'grpc'],
      budget: 300,
      shard: { index: 1, of: 2 },
      shards: 'auto',
      rounds: 3,
      'fail-on': 'never',
    });
    expect(read({ upload: 'false', 'check-run': 'true', policy: '--alpha=1' })).toEqual({
      upload: false,
      'check-run': true,
      policy: '--alpha=1',
    });
  });

  test.each([
    [{ mode: 'fast' }, /`mode` is "fast"/, /Use one of: auto, compare, run/],
    [{ runtime: 'containers' }, /`runtime` is "containers"/, /auto, docker, process\. Did you mean docker\?$/],
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

  test('names all mistakes at once', () => {
    expect(() => read({ budgt: '5m', mode: 'fast', rounds: '0' })).toThrow(
      /no input `budgt`; the input `mode` is "fast"; the input `rounds` is "0"/,
    );
  });
});
