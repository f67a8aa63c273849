import { describe, expect, test } from 'vitest';
import { heldBy, inputsOf } from '../../../../src/commands/action/base-inputs.ts';
import type { StepInputs } from '../../../../src/commands/action/inputs.ts';

const WORKFLOW = `on: pull_request
jobs:
  performance:
    steps:
      - uses: actions/checkout@v6
        with: { fetch-depth: 0 }
      - uses: wiregauge/wiregauge@v1
        with:
          profile: thorough
          fail-on: inconclusive
          args: --services a,b --policy \${{ vars.POLICY }}
          budget: \${{ vars.BUDGET }}
      - uses: wiregauge/wiregauge@v1
        with: { args: calibrate, profile: smoke }
  reused:
    uses: ./.github/workflows/other.yml
`;

describe('the inputs of the base', () => {
  test('are those of the step of the same mode', () => {
    expect(inputsOf(WORKFLOW, { job: 'performance' })).toEqual({
      read: { profile: 'thorough', 'fail-on': 'inconclusive', services: ['a', 'b'] },
      open: ['budget', 'policy'],
    });
    expect(inputsOf(WORKFLOW, { job: 'performance', mode: 'calibrate' })?.read.profile).toBe('smoke');
  });

  test('are those of a step that compares without being given a mode', () => {
    expect(inputsOf(WORKFLOW, { job: 'performance', mode: 'compare' })?.read.profile).toBe('thorough');
  });

  test.each(['${{ vars.ARGS }}', 'compare ${{ vars.ARGS }}', '--always "${{ vars.ARGS }}"'])(
    'are open for every option in args with %s',
    (args) => {
      const workflow = WORKFLOW.replace(/args: --services .*/, `args: ${args}`);
      const base = inputsOf(workflow, { job: 'performance' });

      expect(base?.open).toEqual(expect.arrayContaining(['profile', 'policy', 'fail-on']));
      expect(base && heldBy({ policy: 'loose.yml' }, base).inputChanges).toEqual([]);
    },
  );

  test.each([
    ['another job', WORKFLOW, 'other'],
    ['a job of another workflow', WORKFLOW, 'reused'],
    ['two steps of that mode', WORKFLOW.replace('args: calibrate, ', ''), 'performance'],
    ['no YAML', '\t: [', 'performance'],
  ])('are unknown with %s', (_, workflow, job) => {
    expect(inputsOf(workflow, { job })).toBeUndefined();
  });
});

describe('a pull request cannot loosen the inputs of its workflow', () => {
  const base: StepInputs = { profile: 'standard', 'fail-on': 'inconclusive', budget: 600, services: ['a', 'b'] };

  test.each<[string, StepInputs, string]>([
    ['profile', { profile: 'smoke' }, 'smoke'],
    ['fail-on', { 'fail-on': 'never' }, 'never'],
    ['budget', { budget: 60 }, '60'],
    ['policy', { policy: 'loose.yml' }, 'loose.yml'],
    ['shard', { shard: { index: 1, of: 9 } }, '1/9'],
  ])('by a looser %s: the base counts, and the change is named', (what, change, to) => {
    const { inputs, inputChanges } = heldBy({ ...base, ...change }, { read: base, open: [] });

    expect(inputs).toEqual({ ...base, [what]: base[what as keyof StepInputs] });
    expect(inputChanges.map((one) => [one.what, one.to])).toEqual([[what, to]]);
  });

  test('by fewer services without being named', () => {
    const { inputs, inputChanges } = heldBy({ ...base, services: ['a'] }, { read: base, open: [] });

    expect(inputs.services).toEqual(['a']);
    expect(inputChanges).toEqual([{ what: 'services', from: 'a, b', to: 'a' }]);
  });

  test.each<[string, StepInputs]>([
    ['none', { against: 'none' }],
    ['apps/api', { directory: 'apps/api' }],
  ])('by other results or another folder, %s, without being named', (to, change) => {
    const { inputs, inputChanges } = heldBy({ ...base, ...change }, { read: base, open: [] });

    expect(inputs).toEqual({ ...base, ...change });
    expect(inputChanges).toEqual([{ what: Object.keys(change)[0], from: 'default', to }]);
  });

  test.each<[string, StepInputs, readonly string[]]>([
    ['what finds more', { profile: 'thorough', budget: 1200 }, []],
    ['what the base computes', { profile: 'smoke', budget: 60 }, ['profile', 'budget']],
    ['other inputs', { comment: 'never' }, []],
  ])('but may change %s', (_, change, open) => {
    const head = { ...base, ...change };

    expect(heldBy(head, { read: base, open })).toEqual({ inputs: head, inputChanges: [] });
  });
});
