import { Mistakes } from '../../../config/mistakes.ts';
import { framed, type PlacedContent, type SourceText } from '../../../config/yaml/frame.ts';
import { listIn, mapIn, textIn } from '../../../config/yaml/lines.ts';
import { fittedTo, readYaml } from '../../../config/yaml/yaml.ts';
import { ConfigError } from '../../../foundation/errors.ts';
import { documentAddress, plainText } from '../../../foundation/text.ts';
import type { Program } from '../../../model/service.ts';
import { type PodSpec, workloadSchema } from './pod-spec.ts';

export interface PodTemplate {
  readonly spec: PodSpec;
  /** Name of the container with the image of the version. */
  readonly container: string;
  /** ConfigMaps and Secrets of the manifests that it refers to. */
  readonly objects: readonly ManifestObject[];
}

interface ManifestObject extends PlacedContent {
  readonly kind: string;
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly source: SourceText;
}

const WORKLOADS = ['Deployment', 'StatefulSet'];

/** Objects that are found by name. */
const NAMED = [...WORKLOADS, 'ConfigMap', 'Secret'];

const NEXT = `See what manifests can have: ${documentAddress('docs/how-to/kubernetes.md')}`;

/** Template in manifests, and the names of all objects that it leaves out. Throws ConfigError with file and line of every mistake. */
export function podTemplateIn(
  sources: readonly SourceText[],
  program: Program,
): { readonly template: PodTemplate; readonly leftOut: readonly string[] } {
  const mistakes = new Mistakes();
  const found = mistakes
    .without(mistakes.each(sources.flatMap(documentsIn), objectsIn))
    .flat()
    .filter(({ kind }) => kind !== '');
  refuseDuplicates(found);
  const { workload, container } = chosen(
    found.filter(({ kind }) => WORKLOADS.includes(kind)),
    program,
  );
  const { spec } = framed(workload.source, () => fittedTo(workload, workloadSchema, NEXT)).spec.template;
  const used = new Set<string>();
  withNames(spec, (kind, name) => {
    used.add(`${kind} ${name}`);
    return name;
  });
  const objects = found.filter(({ kind, name }) => used.has(`${kind} ${name}`));
  const leftOut = found.filter((one) => one !== workload && !objects.includes(one));
  return {
    template: { spec, container, objects },
    leftOut: leftOut.map(({ kind, name }) => plainText(`${kind} ${name}`, MAX_NAME)),
  };
}

const MAX_DOCUMENTS = 2000;

/** Documents of a file, with the number of lines before each. */
function documentsIn(source: SourceText) {
  let before = 0;
  const parts = source.text.split(/^---(?=\s|$)/m);
  if (parts.length > MAX_DOCUMENTS) {
    throw new ConfigError(`${source.file}: has ${parts.length} documents; the limit is ${MAX_DOCUMENTS}`, {
      code: 'WG-103',
      next: 'Leave out what the service does not need.',
    });
  }
  return parts.map((part) => {
    const linesBefore = before;
    before += part.split('\n').length - 1;
    return { source, text: part, linesBefore };
  });
}

/** Object of a document, or those of a list. */
function objectsIn({ source, text, linesBefore }: ReturnType<typeof documentsIn>[number]): readonly ManifestObject[] {
  const { content, placeOf } = framed(source, () => readYaml({ file: source.file, text }, linesBefore));
  // Kubernetes ignores `null`.
  const whole = mapIn(JSON.parse(JSON.stringify(content ?? {}), (_key, value: unknown) => value ?? undefined));
  const listed = listIn(whole['items']).map((item, index) => ({ item, path: ['items', index] }));
  return (whole['kind'] === 'List' ? listed : [{ item: whole, path: [] }]).map(({ item, path }) => {
    const object = mapIn(item);
    return {
      kind: textIn(object['kind']) ?? '',
      name: textIn(mapIn(object['metadata'])['name']) ?? '',
      content: object,
      placeOf: (below) => placeOf([...path, ...below]),
      source,
    };
  });
}

/** Throws ConfigError for two objects with the same name, one of which would replace the other. */
function refuseDuplicates(all: readonly ManifestObject[]): void {
  const places = new Map<string, string>();
  for (const { kind, name, placeOf } of all.filter((one) => NAMED.includes(one.kind))) {
    const [key, place] = [`${kind} ${name}`, placeOf(['metadata', 'name'])];
    const other = places.get(key);
    if (other !== undefined) {
      const what = plainText(key, MAX_NAME);
      throw new ConfigError(`${place}: ${what} is also at ${other}`, { code: 'WG-116', next: 'Remove one of them.' });
    }
    places.set(key, place);
  }
}

/** Container that gets the image of the version: the named one, the one with such an image, or the only one. */
function chosen(workloads: readonly ManifestObject[], { name, image, manifests }: Program) {
  const all = workloads.flatMap((workload) => {
    const pod = mapIn(mapIn(mapIn(workload.content['spec'])['template'])['spec']);
    return listIn(pod['containers']).map((one) => {
      const { name: container, image: own } = mapIn(one);
      return { workload, container: textIn(container) ?? '', image: repositoryOf(textIn(own) ?? '') };
    });
  });
  const wanted = image !== undefined && 'reference' in image ? repositoryOf(image.reference) : undefined;
  // The name of a variant begins with that of its service and a dot.
  const [service] = name.split('.');
  const key = manifests?.container;
  const named = all.filter((one) =>
    key === undefined
      ? one.image === wanted || one.image.split('/').at(-1) === service
      : [one.container, `${one.workload.name}/${one.container}`].includes(key),
  );
  const found = named.length === 0 && key === undefined ? all : named;
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return only;
  }
  const choices = (found.length > 0 ? found : all).map(
    ({ workload, container, image: own }) => `${workload.name}/${container} (${own || 'no image'})`,
  );
  const why =
    choices.length === 0
      ? `there is no ${WORKLOADS.join(' or ')} with a container in ${manifests?.path}`
      : `${found.length > 0 ? 'several containers may be meant' : `there is no container ${key}`}: ${choices.join(', ')}`;
  throw new ConfigError(`${name}: manifests: ${plainText(why, MAX_CHARACTERS)}`, {
    code: 'WG-116',
    next:
      choices.length === 0
        ? 'Set `path` to a file or folder with a Deployment or StatefulSet.'
        : 'Name one: `manifests: { path: <path>, container: <Deployment>/<container> }`.',
  });
}

const MAX_CHARACTERS = 800;
const MAX_NAME = 100;

/** Name of an image without its tag and digest. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
}

const REFERENCES: Readonly<Record<string, string>> = {
  ...{ configMap: 'ConfigMap', configMapRef: 'ConfigMap', configMapKeyRef: 'ConfigMap' },
  ...{ secret: 'Secret', secretRef: 'Secret', secretKeyRef: 'Secret', imagePullSecrets: 'Secret' },
};

/** Value, a pod spec or a part of one, with other names for the ConfigMaps and Secrets that it refers to. */
export function withNames<Value>(value: Value, nameOf: (kind: string, name: string) => string): Value {
  const walk = (found: unknown, kind: string | undefined): unknown => {
    if (Array.isArray(found)) {
      return found.map((one) => walk(one, kind));
    }
    return found === null || typeof found !== 'object'
      ? found
      : Object.fromEntries(
          Object.entries(found).map(([key, inner]) => [
            key,
            kind !== undefined && /^(name|secretName)$/.test(key)
              ? nameOf(kind, String(inner))
              : walk(inner, REFERENCES[key]),
          ]),
        );
  };
  return walk(value, undefined) as Value;
}
