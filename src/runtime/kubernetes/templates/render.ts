import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceText } from '../../../config/yaml/frame.ts';
import { MAX_YAML_CHARACTERS } from '../../../config/yaml/lines.ts';
import { ConfigError } from '../../../foundation/errors.ts';
import { plainText } from '../../../foundation/text.ts';
import { programOnPath } from '../../../host/child.ts';
import { MAX_NAMED_BYTES, readText } from '../../../host/files/reader.ts';
import { filesBelow, insideRepository } from '../../../host/files/repository.ts';
import { abortAfter, aborted } from '../../../host/signals.ts';
import type { Manifests } from '../../../model/service.ts';
import { openProgram } from '../../driver/channel.ts';

/** helm refuses some service names. */
const RELEASE = 'wiregauge';

const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Manifests of a program: its files, or the output of kustomize or helm. Throws KnownError if they cannot be read or rendered. */
export async function renderedManifests(
  root: string,
  name: string,
  { path, values }: Manifests,
  signal: AbortSignal,
): Promise<readonly SourceText[]> {
  const what = `${name}: manifests`;
  const folder = insideRepository(root, path, what);
  const has = (file: string): boolean => existsSync(join(folder, file));
  if (has('Chart.yaml')) {
    // helm follows links: a chart could put files of this machine into a ConfigMap.
    for (const file of values) {
      insideRepository(root, file, what);
    }
    for (const file of filesBelow(folder).map((one) => join(path, one))) {
      // Links below its target are not checked.
      if (statSync(insideRepository(root, file, what)).isDirectory()) {
        throw new ConfigError(`${what}: ${file} is a link to a folder`, {
          code: 'WG-108',
          next: 'Copy its target into the chart.',
        });
      }
    }
    const given = values.flatMap((file) => ['--values', `./${file}`]);
    return [await printed(root, ['helm', 'template', RELEASE, `./${path}`, ...given], signal)];
  }
  if (values.length > 0) {
    throw new ConfigError(`${what}: has \`values\`, but ${path} is not a Helm chart: it has no Chart.yaml`, {
      code: 'WG-105',
      next: 'Remove `values`, or set `path` to the folder of the chart.',
    });
  }
  if (KUSTOMIZATIONS.some(has)) {
    const command = programOnPath('kustomize') === undefined ? ['kubectl', 'kustomize'] : ['kustomize', 'build'];
    return [await printed(root, [...command, `./${path}`], signal)];
  }
  const files = statSync(folder).isDirectory() ? filesBelow(folder).map((one) => join(path, one)) : [path];
  return files
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .map((file) => ({
      file,
      text: readText(join(root, file), 'Fix `manifests`.', { root, most: MAX_NAMED_BYTES }),
    }));
}

const LIMIT_SECONDS = 60;

const MAX_CHARACTERS = 800;

async function printed(root: string, argv: readonly string[], signal: AbortSignal): Promise<SourceText> {
  const [program = ''] = argv;
  const file = argv.join(' ');
  const lines: string[] = [];
  let characters = 0;
  // kustomize copies variables of its own environment into ConfigMaps.
  const { PATH, HOME } = process.env;
  const unstartable = { name: program, code: 'WG-213', next: `Install ${program}, and put it on PATH.` } as const;
  const rendering = await openProgram({ argv, cwd: root, environment: { PATH, HOME }, unstartable }, (line) => {
    characters += line.length + 1;
    if (characters <= MAX_YAML_CHARACTERS) {
      lines.push(line);
    }
  });
  rendering.close();
  using overtime = abortAfter(LIMIT_SECONDS * 1000);
  await Promise.race([rendering.ended, aborted(AbortSignal.any([overtime.signal, signal]))]);
  await rendering.end();
  signal.throwIfAborted();
  const { how, exitCode, lastLines } = await rendering.ended;
  const failure = overtime.signal.aborted
    ? `did not end within ${LIMIT_SECONDS} s`
    : exitCode !== 0
      ? `ended ${how}: ${plainText(lastLines, MAX_CHARACTERS)}`
      : characters > MAX_YAML_CHARACTERS
        ? `printed more than ${MAX_YAML_CHARACTERS} characters`
        : undefined;
  if (failure !== undefined) {
    throw new ConfigError(`${file}: ${failure}`, {
      code: 'WG-116',
      next: 'Run it in the root of the repository, and fix the manifests.',
    });
  }
  return { file, text: lines.join('\n') };
}
