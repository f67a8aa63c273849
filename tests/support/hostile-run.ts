import type { Judgment } from '../../src/report/views/judgment.ts';
import { judgedAgainstBaseline, sampleRun } from './sample-run.ts';

/** Everything that a stranger's run could try, in one text. */
export const HOSTILE =
  '<script>alert(1)</script> "><img src=x onerror=alert(1)> | `code` **bold** @everyone #12 GH-3 https://evil.example\n\n# title\n- item </details> $x$ \u001b[31mred\u0007 \u202edlrow [a](b)';

/** A run that carries the hostile text wherever its schema takes free text. */
export function hostileJudgment(): Judgment {
  const run = sampleRun();
  const hostile = judgedAgainstBaseline({
    ...run,
    wiregauge: HOSTILE,
    commit: { head: HOSTILE, dirty: true },
    configHash: HOSTILE,
    runner: { ...run.runner, cpuModel: HOSTILE, kernel: HOSTILE, node: HOSTILE, engine: HOSTILE },
    runtime: { name: 'process', reason: HOSTILE },
    tools: { ghz: HOSTILE },
    suite: {
      ...run.suite,
      title: HOSTILE,
      published: {
        source: HOSTILE,
        note: HOSTILE,
        figures: [{ service: 'rest', tier: 'low', metric: 'latencyMeanMs', text: HOSTILE }],
        cost: {
          source: HOSTILE,
          tier: 'low',
          requestsPerDay: 1,
          replicas: 1,
          prices: { vcpuMonth: 1, gibMonth: 1, gbMoved: 1, month: 1 },
          totals: [{ service: 'rest', text: HOSTILE }],
        },
      },
    },
    services: run.services.map((service) => ({ ...service, title: HOSTILE, environment: { [HOSTILE]: HOSTILE } })),
    samples: run.samples.map((sample) => ({ ...sample, failures: [{ kind: HOSTILE, count: 3 }] })),
    failures: [{ suite: 'users', service: 'rest', tier: 'low', round: 1, message: HOSTILE, next: HOSTILE }],
  });
  const { against } = hostile;
  return {
    run: hostile.run,
    against: against && {
      ...against,
      file: HOSTILE,
      past: {
        ...against.past,
        stratum: { cpuModel: HOSTILE, cores: 2, kernelMajor: HOSTILE },
        newest: { startedAt: HOSTILE, commit: HOSTILE, note: HOSTILE },
      },
      confirmationBase: HOSTILE,
      verdicts: [
        ...against.verdicts.flatMap((verdict) =>
          verdict.kind === 'judged'
            ? [
                {
                  ...verdict,
                  comparison: {
                    ...verdict.comparison,
                    cell: { suite: 'users', service: HOSTILE, operation: HOSTILE, tier: HOSTILE },
                  },
                },
              ]
            : [],
        ),
        {
          kind: 'unmeasured',
          cell: { suite: 'users', service: HOSTILE, operation: HOSTILE, tier: HOSTILE },
          reason: 'gone',
          runs: 30,
        },
        {
          kind: 'unmeasured',
          cell: { suite: 'users', service: HOSTILE, operation: 'all', tier: HOSTILE },
          reason: 'gone',
          runs: 30,
        },
      ],
    },
  };
}
