import { type Diagnosis, ok, problem, warning } from './diagnosis.ts';

/** Whether the Docker engine answers; if not, why, and what to do. */
export type EngineAnswer =
  | { readonly ok: true; readonly version: string }
  | { readonly ok: false; readonly why: string; readonly next: string };

/** What is said of the engine; `containersOnly` are names of what can be started in a container only. */
export function engineDiagnosis(answer: EngineAnswer, containersOnly: readonly string[]): Diagnosis {
  if (answer.ok) {
    return ok('Docker engine', `${answer.version} answers`);
  }
  const [first] = containersOnly;
  return first === undefined
    ? warning('Docker engine', `${answer.why}; plain processes are taken`, answer.next)
    : problem('Docker engine', `${answer.why}, and ${first} can be started in a container only`, answer.next);
}

/** Load tools that are kept together, and how they are. */
export interface ToolsFacts {
  readonly title: string;
  readonly state: 'good' | 'missing' | 'damaged';
  readonly folder: string;
}

/** What is said of the load tools; `go` is what Go says of its version, undefined where it is missing. */
export function toolsDiagnoses(tools: readonly ToolsFacts[], go: string | undefined): readonly Diagnosis[] {
  return tools.map(({ title, state, folder }) => {
    if (state === 'good') {
      return ok('load tools', `${title} in ${folder}`);
    }
    const built = go === undefined ? 'Go, which could build them, is missing' : `else ${go} builds them`;
    const why =
      state === 'damaged'
        ? `${title} in ${folder} were changed since they were put there`
        : `${title} are not in the cache`;
    return warning(
      'load tools',
      `${why}: the next start downloads them; ${built}`,
      '`wiregauge tools` fetches them now; docs/runners.md says how without network.',
    );
  });
}
