import { placeholdersIn, shellCommand, shellWord } from '../../foundation/index.ts';
import type { Service } from '../../model/index.ts';

/** How a service was started: in a container, or as a plain process. */
interface Start {
  readonly inContainer: boolean;
  /** The folder in which it was started, or its image built. */
  readonly folder: string | undefined;
}

/** What to do about a service that did not start: a command that a shell takes as it stands, and the folder for it. */
export function startByHand(service: Service, { inContainer, folder }: Start): string {
  const { process, image, needs = [] } = service;
  const asProcess = process !== undefined && !(inContainer && image !== undefined);
  const built = asProcess && process.build.length > 0 ? 'Build and start it' : 'Start it';
  const place = folder === undefined ? 'at the root of the repository' : `in ${folder}`;
  const beside = needs.length === 0 ? '' : `, beside ${needs.map(({ name }) => name).join(' and ')},`;
  return `${built} by hand ${place}${beside} and look: ${asProcess ? processCommand(service, process) : imageCommand(service)}`;
}

/** Of a service that says no port, which gets a free one. */
const SOME_PORT = 8080;

function processCommand({ port, environment }: Service, { command }: NonNullable<Service['process']>): string {
  // What a placeholder stands for is known to a measurement only, and may be a secret.
  const settings = Object.entries(environment).filter(([, value]) => placeholdersIn(value).length === 0);
  const variables = Object.entries({
    ...Object.fromEntries(settings),
    HOST: '127.0.0.1',
    PORT: String(port || SOME_PORT),
  });
  return [...variables.map(([name, value]) => `${name}=${shellWord(value)}`), shellCommand(command)].join(' ');
}

function imageCommand({ image, command = [] }: Service): string {
  if (image === undefined) {
    return 'what it is made of';
  }
  if ('reference' in image) {
    return shellCommand(['docker', 'run', '--rm', image.reference, ...command]);
  }
  const target = image.target === undefined ? [] : ['--target', image.target];
  const build = shellCommand(['docker', 'build', '--file', image.dockerfile, ...target, image.context]);
  return `${build}, then docker run --rm with the id that it prints`;
}
