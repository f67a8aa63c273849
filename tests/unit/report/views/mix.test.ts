import { describe, expect, it } from 'vitest';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { mixSentences } from '../../../../src/report/views/trust.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const run = sampleRun();

/** The run with so many requests of an operation at a place. */
const withRequests = (tier: string, operation: string, requests: number) => ({
  ...run,
  samples: run.samples.map((sample) => {
    const { cell } = sample;
    const isMeant = cell.service === 'rest' && cell.tier === tier && cell.operation === operation;
    return isMeant ? { ...sample, requests } : sample;
  }),
});

describe('the mix of a closed loop', () => {
  it('is not spoken of if it is the one of the suite', () => {
    expect(mixSentences(viewRun(run))).toEqual([]);
  });

  it('is named with the shares that the suite gives, if a service was sent another one', () => {
    const of = (name: string) => run.suite.operations.find((one) => one.name === name)?.share ?? 0;
    const [first, second] = run.suite.operations;
    const requests = run.samples.find(
      ({ cell }) => cell.service === 'rest' && cell.tier === 'saturation' && cell.operation === first?.name,
    )?.requests;

    const [sentence, ...others] = mixSentences(viewRun(withRequests('saturation', second?.name ?? '', requests ?? 0)));

    expect(others).toEqual([]);
    expect(sentence).toMatch(
      /^REST received a different mix than the suite's at saturation: GetUser 50\.0% instead of /,
    );
    expect(of('GetUser')).toBeGreaterThan(0.5);
  });

  it('does not matter at a rate, which is the same for every service', () => {
    const [operation] = run.suite.operations;

    expect(mixSentences(viewRun(withRequests('low', operation?.name ?? '', 1)))).toEqual([]);
  });
});
