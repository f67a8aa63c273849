import { MeasurementError } from '../../foundation/errors.ts';
import { placeholdersIn } from '../../foundation/placeholders.ts';
import { shellCommand, shellWord } from '../../foundation/text.ts';
import { relevantLine, relevantLines } from '../../model/secrets/printed.ts';
import { portVariables, type Service } from '../../model/service.ts';
import { type Ended, EngineLost, endSentence, needName, WHEN_LOST } from '../../runtime/ended.ts';
import type { RunningService } from '../../runtime/port.ts';

interface Started {
  readonly service: Service;
  readonly running: RunningService;
}

/** End of a service, of one of its members, or of a need. */
export interface StartedEnd {
  /** "shop", "api (member of shop)", or "db (needed by shop)". */
  readonly whose: string;
  /** Program that was not yet ready, with its verb: "it was", or "shop was". */
  readonly until: string;
  readonly end: Ended;
  readonly log: () => Promise<string>;
}

/** Settles when the service, another of its members, or a need ends unexpectedly. */
export async function endOf({ service, running }: Started): Promise<StartedEnd> {
  const { ended, needEnded = new Promise<never>(() => undefined) } = running;
  return await Promise.race([
    ended.then((end) => ({
      ...{ whose: entryName(service), until: 'it was', end },
      // After its removal, only its last words are left.
      log: async () => (await running.logs().catch(() => '')) || (end.printed ?? ''),
    })),
    needEnded.then((need) => ({
      ...{ whose: needName(need, service.name), until: `${service.name} was`, end: need.end },
      log: async () => need.end.printed ?? '',
    })),
  ]);
}

function entryName({ name, entry }: Pick<Service, 'name' | 'entry'>): string {
  return entry === undefined ? name : `${entry} (entry of ${name})`;
}

/** Description of a service's end for an error: in full; in brief, with the most informative line of its log; and its informative lines. */
export async function evidenceOf({ end, log }: StartedEnd): Promise<{ words: string; brief: string; printed: string }> {
  const printed = await log();
  const line = relevantLine(printed, process.env);
  return {
    words: endSentence(end),
    brief: `${end.how}${line === undefined ? '' : `; it printed: ${line}`}`,
    printed: relevantLines(printed, process.env),
  };
}

/** Never resolves: rejects with a MeasurementError as soon as the service, or a need, ends unexpectedly. */
export async function untilItEnds(started: Started, when: string): Promise<never> {
  const ended = await endOf(started);
  throw await endError(ended, `${ended.whose} exited ${when}`, 'Check the last lines that it printed.');
}

/** Result of work on a service. If it fails, throws MeasurementError that names a member that no longer passes its check. */
export async function blamingMembers<Result>(
  running: RunningService,
  work: () => Promise<Result>,
  hasFailed: (result: Result) => boolean = () => false,
): Promise<Result> {
  try {
    const result = await work();
    const ailment = hasFailed(result) ? await running.ailing?.() : undefined;
    if (ailment !== undefined) {
      throw new MemberAils(`requests failed: ${ailment}`, { next: ASK_MEMBER });
    }
    return result;
  } catch (thrown) {
    const isOurs = thrown instanceof MeasurementError && !(thrown instanceof MemberAils);
    const ailment = isOurs ? await running.ailing?.() : undefined;
    throw isOurs && ailment !== undefined
      ? new MemberAils(`${thrown.brief}; ${ailment}`, { cause: thrown, next: ASK_MEMBER })
      : thrown;
  }
}

class MemberAils extends MeasurementError {
  static override readonly code = 'WG-303';
}

const ASK_MEMBER = 'Check what it printed last: a service can answer only as long as its members do.';

/** Error for an end: EngineLost if it does not concern the service. `next` is the fix if the end itself does not show one. */
export async function endError(ended: StartedEnd, what: string, next: string): Promise<MeasurementError> {
  const { words, brief, printed } = await evidenceOf(ended);
  const message = `${what}: ${words}`;
  const reported = { brief: `${what}: ${brief}`, printed };
  const memory = `Raise the limit of ${ended.whose}, \`limits: { memoryMiB: 1024 }\`, or check what it keeps in memory.`;
  return ended.end.kind === 'lost'
    ? new EngineLost(message, { ...reported, next: WHEN_LOST })
    : new MeasurementError(message, {
        code: 'WG-303',
        ...reported,
        next: ended.end.kind === 'out-of-memory' ? memory : next,
      });
}

export function startByHand(
  service: Service,
  { inContainer, folder }: { readonly inContainer: boolean; readonly folder: string | undefined },
): string {
  const { process, image, needs = [], members = [] } = service;
  const asProcess = process !== undefined && !(inContainer && image !== undefined);
  const built = asProcess && process.build.length > 0 ? 'Build and start it' : 'Start it';
  const place = folder === undefined ? 'at the root of the repository' : `in ${folder}`;
  const others = [...members, ...needs].map(({ name }) => name);
  const running = others.length === 0 ? '' : `, with ${others.join(' and ')} running,`;
  return `${built} by hand ${place}${running} and check its output: ${asProcess ? processCommand(service, process) : imageCommand(service)}`;
}

/** Placeholder for a service without a port, which gets a free one. */
const SOME_PORT = 8080;

function processCommand({ port, environment }: Service, { command, port: fixed }: NonNullable<Service['process']>) {
  // Values of placeholders are only known during a measurement, and may be secret.
  const settings = Object.entries(environment).filter(([, value]) => placeholdersIn(value).length === 0);
  const variables = Object.entries({
    ...Object.fromEntries(settings),
    HOST: '127.0.0.1',
    ...portVariables({ port: port || SOME_PORT }, fixed === undefined ? {} : environment),
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
  return `${build}, then docker run --rm with the ID that it prints`;
}
