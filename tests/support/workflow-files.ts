import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const step = z.looseObject({
  id: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: texts.default({}),
});

const job = z.looseObject({
  if: z.string().optional(),
  permissions,
  'timeout-minutes': z.number(),
  steps: z.array(step),
});

/** A job that is another workflow; its time limit and its steps are there. */
const call = z
  .looseObject({ uses: z.string(), permissions, with: texts.default({}) })
  .transform((calling) => ({ ...calling, if: undefined, steps: [] as readonly Step[] }));

const workflow = z.looseObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions,
  jobs: z.record(z.string(), z.union([call, job])),
});

/** A step of a workflow. */
export type Step = z.infer<typeof step>;

/** A workflow file of ours or of an example. */
export interface WorkflowFile extends z.infer<typeof workflow> {
  readonly file: string;
  /** The repository that the file is in, or is laid out for. */
  readonly root: string;
  readonly text: string;
  /** All jobs but those that a condition keeps to pushes, and so to commits that are in the repository. */
  readonly jobsOnPullRequests: readonly z.infer<typeof workflow>['jobs'][string][];
}

/** Folders that are laid out like a repository of their own. */
export function exampleFolders(): readonly string[] {
  const entries = readdirSync('examples', { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join('examples', name));
}

/** Every workflow of this repository and of the examples; fails for one that lacks permissions or a time limit. */
export function workflowFiles(): readonly WorkflowFile[] {
  return ['.', ...exampleFolders()].flatMap((root) => {
    const folder = join(root, '.github/workflows');
    return readdirSync(folder).map((name) => readWorkflow(join(folder, name)));
  });
}

function readWorkflow(file: string): WorkflowFile {
  const text = readFileSync(file, 'utf8');
  const found = workflow.parse(parse(text));
  const jobsOnPullRequests = Object.values(found.jobs).filter((one) => one.if !== "github.event_name == 'push'");
  return { ...found, file, root: dirname(dirname(dirname(file))), text, jobsOnPullRequests };
}

/** What our action takes and gives. */
export interface ActionNames {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** What the input `mode` is said to take. */
  readonly modes: readonly string[];
}

const described = z.record(z.string(), z.looseObject({ description: z.string() }));
const actionFile = z.looseObject({ inputs: described, outputs: described });

/** The names in action.yml. */
export function actionNames(): ActionNames {
  const { inputs, outputs } = actionFile.parse(parse(readFileSync('action.yml', 'utf8')));
  const modes = inputs['mode']?.description.matchAll(/`(\w+)`/g) ?? [];
  return {
    inputs: Object.keys(inputs),
    outputs: Object.keys(outputs),
    modes: [...modes].flatMap(([, name = '']) => name),
  };
}
