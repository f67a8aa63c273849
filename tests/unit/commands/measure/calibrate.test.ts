import { expect, test } from 'vitest';
import { refuseFailed } from '../../../../src/commands/measure/calibrate.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const refused = (...options: Parameters<typeof sampleRounds>) => {
  const run = sampleRounds(...options);
  return () => refuseFailed(run);
};

test('a service that failed in every round is refused by what failed, and what to do about it', () => {
  const run = sampleRounds({
    services: ['rest', 'grpc'],
    rounds: 0,
    failed: [{ service: 'grpc', side: 'head', times: 2 }],
  });
  const rounds = run.rounds.rounds.map((round) => ({
    ...round,
    ...(round.failure !== undefined && { failure: { ...round.failure, code: 'WG-307' } }),
  }));

  expect(() => refuseFailed({ rounds: { ...run.rounds, rounds } })).toThrow(
    expect.objectContaining({
      message: 'grpc exited under tier high',
      code: 'WG-307',
      next: 'Read what it printed.',
    }),
  );
});

test('one that failed now and then is not', () => {
  expect(refused({ services: ['rest'], failed: [{ service: 'rest', side: 'head', times: 2 }] })).not.toThrow();
  expect(refused({ services: ['rest'], rounds: 0, discarded: 2 })).not.toThrow();
});
