import type { WorkflowHost } from '../../src/github/host/workflow-host.ts';
import type { Annotation } from '../../src/project/places.ts';

/** A job that remembers what it was told. */
export interface FakeWorkflowHost extends WorkflowHost {
  readonly outputs: Map<string, string>;
  readonly annotations: Annotation[];
  readonly state: Map<string, string>;
}

/** A job of one/service in run 77; `state` is what an earlier program of the job kept. */
export function fakeWorkflowHost(
  inputs: Readonly<Record<string, string>> = {},
  state: ReadonlyMap<string, string> = new Map(),
): FakeWorkflowHost {
  const outputs = new Map<string, string>();
  const annotations: Annotation[] = [];
  const kept = new Map<string, string>();
  return {
    eventName: 'push',
    payload: {},
    owner: 'one',
    repository: 'service',
    sha: 'd'.repeat(40),
    runId: 77,
    runUrl: (id) => `https://github.com/one/service/actions/runs/${id}`,
    attempt: 1,
    step: 'wiregauge',
    job: 'performance',
    workflow: '.github/workflows/performance.yml',
    temporaryFolder: '/nowhere',
    inputs: new Map(Object.entries(inputs)),
    conceal: () => undefined,
    output: (name, value) => void outputs.set(name, value),
    remember: (name, value) => void kept.set(name, value),
    remembered: (name) => state.get(name) ?? '',
    annotate: (annotation) => void annotations.push(annotation),
    summary: async () => undefined,
    outputs,
    annotations,
    state: kept,
  };
}
