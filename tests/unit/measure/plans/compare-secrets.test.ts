import { expect, test } from 'vitest';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { secretsFrom } from '../../../../src/model/secrets/secrets.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

test('a comparison keeps no secret in the record of a failure, the last words of a service included', async () => {
  const use = { variable: 'TOKEN', place: '', isPem: false };
  const secrets = secretsFrom([use], { TOKEN: 'out of luck' }, () => '');
  const { bench, head } = fakeRounds({ head: { endsAtStart: ['first'] }, change: { secrets } });

  const { rounds } = await compareVersions(bench, head);

  const failed = rounds.rounds.find(({ outcome }) => outcome === 'failed');
  expect(failed?.failure?.message).toMatch(/exited .*: it ended with exit code 1; its last output: \*\*\*$/);
});
