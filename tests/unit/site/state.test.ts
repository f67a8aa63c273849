import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatState, type PageState, parseState } from '../../../site/model/state.ts';

const FIRST_STATE = parseState('');

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
const maybe = fc.option(text, { nil: undefined });
const time = fc.integer({ min: 0, max: 8.64e15 });

const states: fc.Arbitrary<PageState> = fc
  .record({
    query: fc.string({ unit: 'binary', maxLength: 20 }),
    service: maybe,
    operation: maybe,
    tier: maybe,
    metric: maybe,
    series: maybe,
    hidden: fc.uniqueArray(text, { maxLength: 4 }),
    axis: fc.constantFrom('auto' as const, 'linear' as const, 'logarithmic' as const),
    run: maybe,
    base: maybe,
    head: maybe,
    cell: maybe,
    stretch: fc.option(fc.tuple(time, time), { nil: undefined }),
  })
  .map(({ stretch, ...state }) => ({
    ...state,
    from: stretch && Math.min(...stretch),
    to: stretch && Math.max(...stretch),
  }));

describe('the state in the address', () => {
  it('comes back from its own text, for any names', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(parseState(`#${formatState(state)}`)).toEqual(state);
      }),
    );
  });

  it('takes any text for a state', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (hash) => {
        const state = parseState(hash);
        expect(parseState(formatState(state))).toEqual(state);
      }),
    );
  });

  it('is empty for the first state', () => {
    expect(formatState(FIRST_STATE)).toBe('');
    expect(FIRST_STATE).toMatchObject({ query: '', series: undefined, hidden: [], axis: 'auto' });
  });

  it('can be read by people', () => {
    const state = { ...FIRST_STATE, series: 'users/rest/all/high/latencyP95Ms/ms', axis: 'linear' as const };

    expect(formatState(state)).toBe('series=users/rest/all/high/latencyP95Ms/ms&axis=linear');
  });

  it.each(['from=5', 'from=9&to=3', 'from=-1&to=3', 'from=1e9&to=2e9', 'from=1&to=99999999999999999'])(
    'leaves out a stretch of time that is none: %s',
    (hash) => {
      expect(parseState(hash)).toEqual(FIRST_STATE);
    },
  );
});
