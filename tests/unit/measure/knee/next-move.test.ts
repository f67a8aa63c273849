import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import type { Step, StepObservation } from '../../../../src/measure/knee/criteria.ts';
import { p99LimitMs, USUAL_CRITERIA } from '../../../../src/measure/knee/criteria.ts';
import { inFlightAt, MAX_STEPS, nextLoad, secondsAt } from '../../../../src/measure/knee/next-step.ts';
import { concluded } from '../../../../src/measure/knee/record.ts';
import { kneeOf, p99At, SEARCH, type SimulatedService, searched, seenOf } from '../../../support/simulated-service.ts';

const service = fc.record({
  capacityRps: fc.integer({ min: 40, max: 60_000 }),
  baseMs: fc.double({ min: 0.2, max: 80, noNaN: true }),
});
const openSteps = (steps: readonly Step[]) => steps.filter(({ ratePerSecond }) => ratePerSecond !== undefined);
const USUAL: SimulatedService = { capacityRps: 4000, baseMs: 1 };

describe('the search for a knee', () => {
  it('finds it between two rates that are near each other, in few steps', () => {
    fc.assert(
      fc.property(service, (simulated) => {
        const steps = searched((rate) => seenOf(simulated, rate));

        const { kind, held, notHeld, contested } = concluded(SEARCH, steps);
        const [low, high] = [held?.offeredRps ?? Number.POSITIVE_INFINITY, notHeld?.offeredRps ?? 0];
        // By their p99 and not by the rate of the knee, which may be one of the two: a rounding would decide.
        const limitMs = p99LimitMs(USUAL_CRITERIA, steps) ?? 0;
        expect([kind, contested]).toEqual(['found', []]);
        expect(p99At(simulated, low)).toBeLessThanOrEqual(limitMs);
        expect(p99At(simulated, high)).toBeGreaterThan(limitMs);
        expect(high - low <= Math.max(1, 0.05 * high)).toBe(true);
        expect(openSteps(steps).length).toBeLessThanOrEqual(16);
      }),
    );
  });

  it('finds a higher knee for a higher capacity, give or take the gap', () => {
    fc.assert(
      fc.property(service, fc.double({ min: 1.1, max: 20, noNaN: true }), (slow, times) => {
        const quick = { ...slow, capacityRps: Math.ceil(slow.capacityRps * times) };

        const [low, high] = [slow, quick].map(
          (one) =>
            concluded(
              SEARCH,
              searched((rate) => seenOf(one, rate)),
            ).held?.offeredRps ?? 0,
        );

        expect(high ?? 0).toBeGreaterThanOrEqual(low ?? 0);
      }),
    );
  });

  it('is not led astray by noise: what it calls found lies around the knee', () => {
    fc.assert(
      fc.property(service, fc.integer(), fc.constantFrom(0.01, 0.03, 0.08), (simulated, seed, spread) => {
        const random = seededRandom(seed);
        const noise = () => Math.exp(spread * (random() + random() + random() + random() - 2));
        const steps = searched((rate) => seenOf({ ...simulated, capacityRps: simulated.capacityRps * noise() }, rate));

        const { kind, held, notHeld } = concluded(SEARCH, steps);
        // Each of the noise's four parts is within half of its spread.
        const [least, most] = [Math.exp(-2 * spread), Math.exp(2 * spread)];
        const knee = kneeOf(simulated, p99LimitMs(USUAL_CRITERIA, steps) ?? 0);
        expect(['found', 'inconclusive']).toContain(kind);
        if (kind === 'found') {
          expect(held?.offeredRps).toBeLessThanOrEqual(knee * most);
          expect(notHeld?.offeredRps).toBeGreaterThanOrEqual(knee * least);
        }
        expect(openSteps(steps).length).toBeLessThanOrEqual(MAX_STEPS);
      }),
    );
  });

  it('ends for any steps, and sustains a rate below the one that is not sustained', () => {
    fc.assert(
      fc.property(service, fc.infiniteStream(fc.boolean()), (simulated, coins) => {
        const toss = coins[Symbol.iterator]();
        const steps = searched((rate) => ({
          ...seenOf({ ...simulated, capacityRps: rate ?? simulated.capacityRps }, rate),
          latencyP99Ms: 1,
          marks: rate !== undefined && toss.next().value === true ? ['dropped'] : [],
        }));

        const { held, notHeld, kind, contested } = concluded(SEARCH, steps);
        expect(openSteps(steps).length).toBeLessThanOrEqual(MAX_STEPS);
        expect((held?.offeredRps ?? 0) < (notHeld?.offeredRps ?? Number.POSITIVE_INFINITY)).toBe(true);
        expect(kind === 'found' && contested.length > 0).toBe(false);
      }),
    );
  });

  it('begins with a closed loop, then little to do, and runs the sustained rate again right after the other', () => {
    const steps = searched((rate) => seenOf(USUAL, rate));

    const { held } = concluded(SEARCH, steps);
    expect(steps.slice(0, 3).map(({ purpose }) => purpose)).toEqual(['closed-loop', 'unloaded', 'rise']);
    expect(steps[1]?.offeredRps).toBe(400);
    const last = steps.at(-1);
    expect([last?.offeredRps, last?.verdict]).toEqual([held?.offeredRps, 'held']);
    expect(steps.at(-2)?.verdict).toBe('not-held');
    expect(steps.filter(({ offeredRps }) => offeredRps === held?.offeredRps).length).toBeGreaterThan(1);
  });

  it('takes fewer workers where the closed loop fails requests', () => {
    const workers: number[] = [];
    searched((rate, place) => {
      if (rate === undefined) {
        workers.push(place.workers);
      }
      return { ...seenOf(USUAL, rate), ...(rate === undefined && place.workers > 20 && { errorRate: 0.3 }) };
    });

    expect(workers).toEqual([50, 25, 12]);
  });

  it('looks at a service with little to do once more where its p99 is far from its median', () => {
    const steps = searched((rate, { index }) => ({
      ...seenOf(USUAL, rate),
      ...(index === 1 && { latencyP99Ms: 300 }),
    }));

    const quiet = steps.filter(({ purpose }) => purpose === 'unloaded').map(({ latencyP99Ms }) => latencyP99Ms ?? 0);
    expect(quiet).toHaveLength(2);
    expect(p99LimitMs(USUAL_CRITERIA, steps)).toBe(10 * Math.min(...quiet));
  });

  it.each([1000, 100])('climbs beyond a closed loop of %i/s that was far from the most', (achievedRps) => {
    const steps = searched((rate) => ({ ...seenOf(USUAL, rate), ...(rate === undefined && { achievedRps }) }));

    const { kind, held } = concluded(SEARCH, steps);
    expect(kind).toBe('found');
    expect(held?.offeredRps).toBeGreaterThan(3000);
  });

  it('lets as many requests be in flight as a sustained rate can have', () => {
    expect([inFlightAt(20, undefined), inFlightAt(20, 10_000), inFlightAt(3000, 30), inFlightAt(1e5, 100)]).toEqual([
      16, 200, 900, 1000,
    ]);
  });

  it('passes over one disturbed step on the way up', () => {
    const disturbed: Pick<StepObservation, 'marks'> = { marks: ['dropped', 'disturbed'] };
    const steps = searched((rate, { index }) => ({ ...seenOf(USUAL, rate), ...(index === 3 && disturbed) }));

    const { kind, held } = concluded(SEARCH, steps);
    expect(steps[3]?.verdict).toBe('not-held');
    expect(kind).toBe('found');
    expect(held?.offeredRps).toBeGreaterThan(3000);
  });

  it('does not go on where nothing is answered', () => {
    const steps = searched((rate) => ({ ...seenOf(USUAL, rate), achievedRps: 0, errorRate: 1 }));

    expect(steps.map(({ workers }) => workers)).toEqual([50, 25, 12, 6]);
    expect(nextLoad(SEARCH, steps)).toEqual({ ended: 'done' });
    expect(concluded(SEARCH, steps).kind).toBe('unmeasured');
  });

  it('measures a low rate for long enough to have a p99, and a minute at most', () => {
    expect([1, 10, 1000].map((rate) => secondsAt(rate, SEARCH))).toEqual([60, 12, 5]);
  });
});
