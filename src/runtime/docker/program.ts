import type { ContainerCreateOptions, ImageInspectInfo } from 'dockerode';
import { EnvironmentError, MeasurementError } from '../../foundation/errors.ts';
import { insideRepository } from '../../host/files/repository.ts';
import { freePort } from '../../host/machine/ports.ts';
import { type Program, portVariables } from '../../model/service.ts';
import { managedEnvironment } from '../needs.ts';
import type { RuntimeOptions } from '../port.ts';
import { commonSettings, limitsOf, startContainer } from './container.ts';
import { type Engine, engineRefusalOf, isEngineRefusal } from './engine.ts';

interface ProgramPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  readonly program: Program;
  readonly image: string;
  readonly core: number | readonly number[];
  /** Its variables, with the placeholders filled in. */
  readonly environment: Readonly<Record<string, string>>;
  readonly sysctls?: Readonly<Record<string, string>>;
  /** Its network by name, and its alias there; undefined: the engine's default network. */
  readonly network: { readonly name: string; readonly alias: string | undefined } | undefined;
  readonly recast?: Recast | undefined;
}

export type ImageSettings = Partial<ImageInspectInfo['Config']>;

/** Changes the settings of a container, depending on its image, before it is created. */
export type Recast = (settings: ContainerCreateOptions, image: ImageSettings) => ContainerCreateOptions;

export function environmentIn({ Env: own }: ContainerCreateOptions, image: ImageSettings): Record<string, string> {
  const pairs = [...(image.Env ?? []), ...(own ?? [])].map((text) => {
    const [name = '', ...value] = text.split('=');
    return [name, value.join('=')] as const;
  });
  return Object.fromEntries(pairs);
}

/** Sets the variables of managedEnvironment, in addition to those of the image. */
export function managedRecast(program: Parameters<typeof managedEnvironment>[1]): Recast {
  return (settings, image) => ({
    ...settings,
    Env: Object.entries(managedEnvironment(environmentIn(settings, image), program)).map((pair) => pair.join('=')),
  });
}

const PORT_ATTEMPTS = 5;
const PORT_TAKEN = /port is already allocated|address already in use/;

/** Starts a program in a fresh container, with a port of 127.0.0.1 that leads to it; nothing is left if that fails. */
export async function startProgramContainer(place: ProgramPlace) {
  const isImageRead = place.program.tmpfs !== undefined || place.recast !== undefined;
  const image = isImageRead ? (await place.engine.api.getImage(place.image).inspect()).Config : undefined;
  const user = place.program.user ?? image?.User ?? '';
  const { recast: recasting = (settings: ContainerCreateOptions) => settings } = place;
  for (let attempt = 1; ; attempt += 1) {
    const hostPort = await freePort();
    const settings = recasting(programSettings(place, { hostPort, user }), image ?? {});
    try {
      return { ...(await startContainer(place.engine, settings)), hostPort };
    } catch (thrown) {
      // Another program may take the port between the check and the start.
      if (attempt === PORT_ATTEMPTS || !PORT_TAKEN.test(engineRefusalOf(thrown))) {
        throw startFailure(place, thrown);
      }
    }
  }
}

function programSettings(
  place: ProgramPlace,
  { hostPort, user }: { readonly hostPort: number; readonly user: string },
): ContainerCreateOptions {
  const { options, program, image, core, sysctls, network } = place;
  const common = commonSettings(options, core, program.limits);
  const port = `${program.port}/tcp`;
  const environment = { ...place.environment, HOST: '0.0.0.0', ...portVariables(program, place.environment) };
  return {
    ...common,
    Image: image,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...(program.command !== undefined && { Cmd: [...program.command] }),
    ...(program.user !== undefined && { User: program.user }),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...common.HostConfig,
      ...(sysctls !== undefined && { Sysctls: { ...sysctls } }),
      ...(network !== undefined && { NetworkMode: network.name }),
      Tmpfs: { '/tmp': '', ...tmpfsOf(program, user) },
      Mounts: Object.entries(program.files ?? {}).map(([target, path]) => ({
        Type: 'bind' as const,
        Source: insideRepository(options.root, path, `${program.name}: files.${target}`),
        Target: target,
        ReadOnly: true,
      })),
      PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] },
    },
    ...(network?.alias !== undefined && {
      NetworkingConfig: { EndpointsConfig: { [network.name]: { Aliases: [network.alias] } } },
    }),
  };
}

/**
 * They would belong to root: a user with a known number owns them. For others every user may write there, as to /tmp, if the engine is new enough: up
 * to runc 1.1 a folder that exists in the image keeps its mode.
 */
function tmpfsOf({ tmpfs = [] }: Program, user: string): Record<string, string> {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user) ?? [];
  const group = gid === undefined ? '' : `,gid=${gid}`;
  const options = uid === undefined ? 'mode=1777' : `uid=${uid}${group},mode=0755`;
  return Object.fromEntries(tmpfs.map((path) => [path, options]));
}

function startFailure({ options, program, image, core, recast }: ProgramPlace, thrown: unknown): Error {
  const refusal = engineRefusalOf(thrown);
  const text = `the container of ${program.name} cannot be started: ${refusal}`;
  if (recast !== undefined && /docker-init/.test(refusal)) {
    return new EnvironmentError(text, {
      code: 'WG-309',
      cause: thrown,
      next: 'Use a Docker engine with `docker-init` to count instructions, or use `--runtime process`.',
    });
  }
  if (/unable to find (user|group)|mount/i.test(refusal)) {
    return new MeasurementError(text, {
      code: 'WG-309',
      cause: thrown,
      next: `Fix \`user\`, \`files\` and \`tmpfs\` of ${program.name}; the user must exist in the image, or be a number.`,
    });
  }
  // 400: the engine refuses the settings, all of which except the limits are ours.
  if (isEngineRefusal(thrown, 400) && !/exec|OCI runtime/i.test(refusal)) {
    const { cpus, memoryMiB } = limitsOf(options, program.limits);
    return new EnvironmentError(`${text} (core ${core}, ${cpus} CPUs, ${memoryMiB} MiB)`, {
      code: 'WG-213',
      cause: thrown,
      next: 'Set limits and cores that this machine has.',
    });
  }
  return new MeasurementError(text, {
    code: 'WG-309',
    cause: thrown,
    next: `Try to start it yourself: docker run --rm --read-only ${image}`,
  });
}
