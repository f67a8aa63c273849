import { describe, expect, test } from 'vitest';
import { type WorkflowFile, workflowFiles } from '../support/workflow-files.ts';

const ACTION = 'wiregauge/wiregauge@v1';
const CALLED = 'wiregauge/wiregauge/.github/workflows/benchmark.yml@v1';
const expression = (text: string) => `$\{{ ${text} }}`;

const FILES = workflowFiles();

function calledWorkflow(): WorkflowFile {
  const [found, ...others] = FILES.filter(({ on }) => 'workflow_call' in on);
  if (found === undefined || others.length > 0) {
    throw new Error('one workflow is there to be called');
  }
  return found;
}

describe('the workflow that others call', () => {
  const { jobs, on } = calledWorkflow();
  const { inputs } = on['workflow_call'] as { readonly inputs: Readonly<Record<string, object>> };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('hands every input on, and each as the input or option of the action of the same name', () => {
    const handed = steps
      .filter(({ uses }) => uses === ACTION)
      .flatMap((step) => Object.entries(step.with))
      .filter(([, value]) => String(value).includes('inputs.'));

    const names = handed.flatMap(([name, value]) =>
      value === expression(`inputs.${name}`)
        ? [name]
        : [...String(value).matchAll(/--([\w-]+)="\$\{\{ inputs\.\1 \}\}"/g)].map(([, option]) => option),
    );
    expect(new Set(names)).toEqual(new Set(Object.keys(inputs)));
  });

  test('measures what the repository has, unless a suite is named', () => {
    expect(inputs['suite']).toMatchObject({ default: '' });
  });

  test('lets no shard comment or fail for its verdict, and each has an artifact that the judge finds', () => {
    const [, shard] = jobs['measure']?.steps ?? [];
    const [download, merge] = jobs['judge']?.steps ?? [];

    expect(jobs['plan']?.steps[1]?.with['args']).toMatch(/^shards plan /);
    expect(shard?.with).toMatchObject({ comment: 'never', 'fail-on': 'never', shard: expression('matrix.shard') });
    expect(shard?.with['artifact']).toBe(`wiregauge-shard-${expression('strategy.job-index')}`);
    expect(download?.with['pattern']).toBe('wiregauge-shard-*');
    expect(merge?.with).toMatchObject({ mode: 'comment', args: `--runs="${download?.with['path']}"` });
    expect(jobs['measure']).toMatchObject({ strategy: { 'fail-fast': false } });
  });

  test('judges also if shards are lost or the run was cancelled, since a skipped required check counts as passed', () => {
    expect(jobs['judge']).toMatchObject({ if: 'always()', needs: ['plan', 'measure'] });
  });

  test('is called in the example with inputs that it has and the permissions that it needs', () => {
    const calls = FILES.flatMap((file) => Object.values(file.jobs)).filter((job) => job['uses'] === CALLED);

    expect(calls).toHaveLength(1);
    for (const call of calls) {
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(call['with'] ?? {})));
      expect(call.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' });
    }
  });
});
