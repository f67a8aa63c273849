import { documentAddress } from '../../foundation/text.ts';
import type { DockerAnswer } from '../../runtime/docker/engine.ts';
import type { buildFacts } from '../../runtime/docker/images/plain.ts';
import type { toolsState } from '../../runtime/tools/tools.ts';
import { type Diagnosis, ok, problem, warning } from './diagnosis.ts';

/** Diagnosis of an unused engine: plain processes are selected. */
export function unaskedDiagnosis([first]: readonly string[]): Diagnosis {
  return first === undefined
    ? ok('Docker engine', 'not checked: plain processes are measured (--runtime process)')
    : problem(
        'Docker engine',
        `--runtime process: ${first} can be started in a container only`,
        `Add a \`process\` with a \`command\` to ${first}, or measure with --runtime docker.`,
      );
}

/** Diagnosis of the engine; `containersOnly` are names of what can be started in a container only, `isSelected`: --runtime docker. */
export function engineDiagnosis(
  answer: DockerAnswer,
  containersOnly: readonly string[],
  isSelected: boolean,
): Diagnosis {
  if (answer.ok) {
    return ok('Docker engine', `version ${answer.version} answers`);
  }
  if (isSelected) {
    return problem('Docker engine', `--runtime docker: ${answer.why}`, answer.next);
  }
  const [first] = containersOnly;
  return first === undefined
    ? warning('Docker engine', `${answer.why}; plain processes are used`, answer.next)
    : problem('Docker engine', `${answer.why}, and ${first} can be started in a container only`, answer.start);
}

type BuildFacts = Awaited<ReturnType<typeof buildFacts>>;

const LACKING = {
  'no program': 'the program docker is not on PATH',
  'no buildx': 'the program docker has no buildx',
} as const;

const ENOUGH_DISK_MIB = 2048;

/** Diagnosis of the builds of images, if an engine answers. */
export function buildDiagnoses(facts: BuildFacts): readonly Diagnosis[] {
  const { folder, freeDiskMiB } = facts;
  return [builderDiagnosis(facts), ...(freeDiskMiB === undefined ? [] : [spaceDiagnosis(folder, freeDiskMiB)])];
}

/** A builder in a container begins with the first build. */
const USABLE = ['running', 'inactive'];

function builderDiagnosis({ builder, usesBuildKit }: BuildFacts): Diagnosis {
  if (typeof builder === 'string') {
    const isRefused = builder === 'no buildx' && usesBuildKit;
    const then = isRefused
      ? 'and with DOCKER_BUILDKIT=1 it cannot build from version 23 on'
      : 'so the older builder is used, which does not support `RUN --mount`';
    return warning(
      'image builds',
      `${LACKING[builder]}, ${then}`,
      'Install the package docker-buildx-plugin (of Docker) or docker-buildx (of the distribution).',
    );
  }
  const { name, driver, state } = builder;
  const says = `BuildKit, with the builder ${name} (${driver})`;
  return USABLE.includes(state)
    ? ok('image builds', says)
    : warning('image builds', `${says}, which is ${state}`, `Run \`docker buildx inspect ${name}\` for details.`);
}

function spaceDiagnosis(folder: string, freeDiskMiB: number): Diagnosis {
  const says = `${Math.round(freeDiskMiB)} MiB are free in ${folder}`;
  return freeDiskMiB < ENOUGH_DISK_MIB
    ? warning(
        'image space',
        `${says}, where images are kept`,
        'Run `wiregauge cache clean` to remove its old images, or `docker system prune` to remove everything unused.',
      )
    : ok('image space', says);
}

/** Diagnosis of the load driver; `go` is the version that Go prints, undefined if it is missing. */
export function toolsDiagnosis(
  { title, state, folder }: Awaited<ReturnType<typeof toolsState>>,
  go: string | undefined,
): Diagnosis {
  if (state === 'good') {
    return ok('load tools', `${title} in ${folder}`);
  }
  const built = go === undefined ? 'Go, which could build it, is missing' : `otherwise ${go} builds it`;
  const why =
    state === 'damaged' ? `${title} in ${folder} was changed after it was installed` : `${title} is not in the cache`;
  return warning(
    'load tools',
    `${why}: the next start downloads it; ${built}`,
    `Run \`wiregauge cache fetch\` to download it now. Without network: ${documentAddress('docs/runners.md#without-network')}`,
  );
}
