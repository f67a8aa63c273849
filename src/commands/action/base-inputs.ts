import { parse } from 'yaml';
import { z } from 'zod';
import { ifPossible } from '../../foundation/errors.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { runGit } from '../../host/git/git.ts';
import type { PolicyChangeRecord } from '../../model/run/rounds.ts';
import { budgetSecondsOf, COMPARE_PROFILE } from '../program/options.ts';
import { namedInputs } from './arguments.ts';
import { ARGUMENTS, readInputs, type StepInputs } from './inputs.ts';

/** Inputs of a step, and the changes that a pull request makes to those of its base. */
interface HeldInputs {
  readonly inputs: StepInputs;
  readonly inputChanges: readonly PolicyChangeRecord[];
}

/**
 * Inputs of a step for a pull request, which may change its own workflow: a profile, a budget, a `fail-on`, a shard and a policy file that detect
 * less are replaced by those of the base. Unchanged if the base workflow has no single step of this mode in this job.
 */
export async function heldInputs(
  inputs: StepInputs,
  { event, host }: { readonly event: GithubEvent; readonly host: Pick<WorkflowHost, 'workflow' | 'job'> },
): Promise<HeldInputs> {
  if (event.kind === 'pull-request' && host.workflow !== undefined) {
    const { ok, output } = await runGit(process.cwd(), ['show', `${event.baseSha}:${host.workflow}`]);
    const base = ok ? inputsOf(output, { job: host.job, mode: inputs.mode }) : undefined;
    if (base !== undefined) {
      return heldBy(inputs, base);
    }
  }
  return { inputs, inputChanges: [] };
}

const jobSchema = z.object({
  steps: z.array(z.object({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() })),
});

const workflowSchema = z.object({ jobs: z.record(z.string(), z.unknown()) });

/** Name of this action, or its path in its own repository. */
const THIS_ACTION = /^\.\/$|\/wiregauge(@|$)/;

/** Inputs of the step in the text of a workflow; undefined unless exactly one step matches. */
export function inputsOf(
  workflow: string,
  { job, mode }: { readonly job: string; readonly mode?: StepInputs['mode'] },
): BaseInputs | undefined {
  return ifPossible(() => {
    const { steps } = jobSchema.parse(workflowSchema.parse(parse(workflow)).jobs[job]);
    const found = steps
      .filter(({ uses = '' }) => THIS_ACTION.test(uses))
      .map((step) => Object.entries(step.with ?? {}).map(([name, value]) => [name, String(value)] as const))
      .map((texts) => {
        const named = namedInputs(new Map(texts), Object.keys(ARGUMENTS));
        const computed = [...named.texts].filter(([, text]) => text.includes('${{')).map(([name]) => name);
        const open = [...computed, ...named.open];
        return { open, read: readInputs(new Map([...named.texts].filter(([name]) => !open.includes(name)))).inputs };
      })
      .filter(({ open, read }) => open.includes('mode') || comparing(read.mode) === comparing(mode));
    return found.length === 1 ? found[0] : undefined;
  });
}

/** Mode for a pull request. */
function comparing(mode: StepInputs['mode'] = 'auto'): StepInputs['mode'] {
  return mode === 'auto' ? 'compare' : mode;
}

/** Inputs that a workflow sets to texts, and the names of those that it computes. */
interface BaseInputs {
  readonly read: StepInputs;
  readonly open: readonly string[];
}

/** Profiles from the least to the most sensitive. */
const PROFILES: readonly string[] = ['instructions', 'smoke', 'quick', 'standard', 'thorough'];
const FAIL_ON: readonly string[] = ['never', 'regression', 'inconclusive'];

/** Inputs that select what is measured; the head decides, since the base may lack it. */
const NAMED = ['directory', 'suite', 'services', 'operations', 'shard', 'base', 'against'] as const;

/** Inputs of the head, replaced by those of the base that detect more, with all changes. */
export function heldBy(head: StepInputs, { read: base, open }: BaseInputs): HeldInputs {
  const isLess = (rankOf: (inputs: StepInputs) => number) => rankOf(head) < rankOf(base);
  const looser = {
    profile: isLess(({ profile = COMPARE_PROFILE.usual }) => PROFILES.indexOf(profile)),
    'fail-on': isLess((inputs) => FAIL_ON.indexOf(inputs['fail-on'] ?? 'regression')),
    budget: isLess(({ profile = COMPARE_PROFILE.usual, budget }) => budgetSecondsOf({ profile, budget })),
    policy: head.policy !== undefined && base.policy === undefined,
    shard: head.shard !== undefined && base.shard === undefined,
  };
  const closed = <Name extends keyof StepInputs>(names: readonly Name[]) =>
    names.filter((name) => !open.includes(name));
  const kept = closed(['profile', 'fail-on', 'budget', 'policy', 'shard']).filter((name) => looser[name]);
  const named = closed(NAMED)
    .filter((name) => name !== 'shard' || !looser.shard)
    .filter((name) => textOf(head[name]) !== textOf(base[name]));
  return {
    inputs: { ...head, ...Object.fromEntries(kept.map((name) => [name, base[name]])) },
    inputChanges: [...kept, ...named].map((what) => ({ what, from: textOf(base[what]), to: textOf(head[what]) })),
  };
}

function textOf(value: StepInputs[keyof StepInputs]): string {
  if (typeof value === 'object' && 'of' in value) {
    return `${value.index}/${value.of}`;
  }
  return value === undefined ? 'default' : [value].flat().join(', ');
}
