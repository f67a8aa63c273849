import { Mistakes } from '../../../config/mistakes.ts';
import { type Program, programsOf } from '../../../model/service.ts';
import { anonymousName } from '../../docker/container.ts';
import type { Cluster, ClusterOptions } from '../cluster.ts';
import { ownedBy } from '../manifests.ts';
import { renderedManifests } from './render.ts';
import { type PodTemplate, podTemplateIn, withNames } from './template.ts';

/** Pod templates of programs with `manifests`, by `templateKey`. */
export type PodTemplates = ReadonlyMap<string, PodTemplate>;

export function templateKey({ name, manifests }: Program): string {
  return JSON.stringify([name, manifests]);
}

/** Reads or renders the manifests of a version, with a line for each part that is left out. Throws KnownError with all mistakes. */
export async function podTemplates(
  { root, log, services }: Pick<ClusterOptions, 'root' | 'log' | 'services'>,
  signal: AbortSignal,
): Promise<PodTemplates> {
  const own = programsOf(services).flatMap((program) =>
    program.manifests === undefined ? [] : [{ program, manifests: program.manifests }],
  );
  const rendered = await Promise.allSettled(
    own.map(({ program, manifests }) => renderedManifests(root, program.name, manifests, signal)),
  );
  const mistakes = new Mistakes();
  const templates = mistakes.each(own, ({ program, manifests }, index) => {
    const sources = rendered[index];
    if (sources?.status !== 'fulfilled') {
      throw sources?.reason;
    }
    const { template, leftOut } = podTemplateIn(sources.value, program);
    if (leftOut.length > 0) {
      log(`${program.name}: left out of ${manifests.path}: ${leftOut.join(', ')}`);
    }
    return [templateKey(program), template] as const;
  });
  return new Map(mistakes.without(templates));
}

/** Creates the ConfigMaps and Secrets of templates under other names, until the end of the run. Returns templates that refer to those. */
export async function withConfigs(
  templates: PodTemplates,
  { kubectl, common, node }: Pick<Cluster, 'kubectl' | 'common' | 'node'>,
  signal: AbortSignal,
): Promise<PodTemplates> {
  const items: object[] = [];
  const renamed = [...templates].map(([key, template]) => {
    const names = new Map(template.objects.map(({ kind, name }) => [`${kind} ${name}`, anonymousName()]));
    for (const { kind, name, content } of template.objects) {
      const { type, data, binaryData, stringData } = content;
      const metadata = { name: names.get(`${kind} ${name}`), ...ownedBy(common.run, node.pod) };
      items.push({ apiVersion: 'v1', kind, metadata, type, data, binaryData, stringData });
    }
    const spec = withNames(template.spec, (kind, name) => names.get(`${kind} ${name}`) ?? name);
    return [key, { ...template, spec }] as const;
  });
  if (items.length > 0) {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await kubectl.run(['create', '--filename=-'], { input: list, signal });
  }
  return new Map(renamed);
}
