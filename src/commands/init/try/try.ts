import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { KnownError, MeasurementError } from '../../../foundation/errors.ts';
import { cleanText, documentAddress } from '../../../foundation/text.ts';
import { outputFolder } from '../../../host/files/output.ts';
import { readText } from '../../../host/files/reader.ts';
import { systemClock } from '../../../host/machine/clock.ts';
import { abortAfter, interruptible } from '../../../host/signals.ts';
import { isGuarded, type TriedService, tryService } from '../../../measure/plans/try.ts';
import { aloneOnMachine, openRuntime, type RuntimeChoice } from '../../../measure/session/runtime.ts';
import type { Secrets } from '../../../model/secrets/secrets.ts';
import { programsOf } from '../../../model/service.ts';
import { operationsFor } from '../../../model/suite/groups.ts';
import type { SuiteFiles } from '../../../project/files.ts';
import { takeSecrets } from '../../../project/policy.ts';
import { PROJECT_FILE, readSuite, withCheckedContracts } from '../../../project/suite.ts';
import { protocolClient } from '../../../protocols/client.ts';
import type { Runtime } from '../../../runtime/port.ts';
import type { Diagnosis } from '../../doctor/diagnosis.ts';
import { faultsOf } from '../../doctor/doctor.ts';
import type { LeftOutService } from '../services/proposal.ts';
import { shortList } from '../write/project-text.ts';
import { fixArguments, fixFewOperations, fixLost, furtherOf } from './arguments.ts';
import { fixMethods, fixProtocol, fixQueries } from './contract.ts';
import { type Change, type Fixing, type FixKnowledge, fixingOf } from './fix.ts';
import { fixMissing, fixNotCreated, fixStillMissing } from './missing.ts';
import { fixFlag, fixLock, fixNeedPort, fixPort, fixReady, fixSetuptools, fixTls } from './program.ts';
import { fixCredentials, fixOperations, fixSlashes, fixVarying, rateLimited } from './refused.ts';

/** Time limit of a trial; builds have their own. */
const MAX_SECONDS = 600;

/** Time between two progress lines of a build. */
const BUILDING_SECONDS = 30;

/** Limit of trials; each applies the fixes of those before. */
const MAX_TRIALS = 5;

export interface ProposalTrial {
  /** 0 if each service answers a request, 2 if not, 130 after Ctrl-C. */
  readonly exitCode: number;
  /** Empty if the trial did not finish. */
  readonly tried: TriedServices;
  /** Line for each change of the wiregauge.yml. */
  readonly changes: readonly string[];
  /** Operations that were removed. */
  readonly leftOut: readonly LeftOutService[];
  /** Routes still missing from the file, by service. */
  readonly further: FixKnowledge['further'];
  /** Problems that `wiregauge doctor` finds after the changes. */
  readonly faults: readonly Diagnosis[];
}

type Tried = Pick<ProposalTrial, 'tried' | 'changes' | 'leftOut' | 'further'>;

const UNTRIED: Tried = { tried: new Map(), changes: [], leftOut: [], further: new Map() };

/**
 * Builds and starts each service of the wiregauge.yml in a folder, sends each of its operations once, and writes its fixes into the file. Stops
 * everything that it started. A failed build is printed, not thrown.
 */
export async function tryProposal(root: string, flags: TrialFlags): Promise<ProposalTrial> {
  const { log, runtime } = flags;
  let trial = UNTRIED;
  let faults: readonly Diagnosis[] = [];
  const exitCode = await interruptible(async (signal) => {
    try {
      trial = await triedAlone(root, { ...flags, signal });
      const found = await faultsOf({ root, runtime, signal });
      found.lines.forEach(log);
      faults = found.faults;
      return faults.every(({ state }) => state !== 'problem') && [...trial.tried.values()].every(isAnswering) ? 0 : 2;
    } catch (thrown) {
      const reason = signal.aborted ? undefined : untriedWords(thrown);
      if (reason === undefined) {
        throw thrown;
      }
      log(reason);
      return 2;
    }
  });
  return { ...trial, faults, exitCode };
}

/** Reason that a trial did not finish; undefined for an internal error. */
function untriedWords(thrown: unknown): string | undefined {
  return thrown instanceof KnownError
    ? `not tried: ${thrown.message}\n${thrown.next ?? ''}`
        .split('\n')
        .map((line) => cleanText(line, 1000))
        .join('\n  ')
    : undefined;
}

/** Releases the machine afterwards, also for the checks of `wiregauge doctor`, which report who measures. */
async function triedAlone(root: string, trying: Omit<Trying, 'built'>): Promise<Tried> {
  const turn = { what: 'wiregauge init', mostSeconds: MAX_SECONDS, signal: trying.signal };
  await using _lock = await aloneOnMachine({ json: trying.json }, turn);
  const built = new Map<string, Runtime | KnownError>();
  try {
    return await triedAndFixed(root, { ...trying, built });
  } finally {
    for (const runtime of built.values()) {
      await (runtime instanceof KnownError ? undefined : runtime[Symbol.asyncDispose]());
    }
  }
}

interface TrialFlags extends Pick<FixKnowledge, 'further' | 'logins' | 'documents'> {
  readonly log: (line: string) => void;
  readonly json?: boolean | undefined;
  readonly runtime: RuntimeChoice;
}

interface Trying extends TrialFlags {
  readonly signal: AbortSignal;
  /** Runtimes of earlier trials by build, or the failure of the build. */
  readonly built: Map<string, Runtime | KnownError>;
}

async function triedAndFixed(root: string, trying: Trying, trials = MAX_TRIALS): Promise<Tried> {
  const say = (lines: readonly string[]): void => lines.forEach(trying.log);
  const tried = await triedServices(withCheckedContracts(readSuite(root, undefined)), trying);
  say(trialLines(tried));
  const hasToken = (process.env['API_TOKEN'] ?? '') !== '';
  const known = { ...trying, hasToken, isLast: trials === 1 };
  const { text, changes, leftOut, further, isRequestedOtherwise } = fixedText(
    readText(join(root, PROJECT_FILE), '', { root }),
    tried,
    known,
  );
  if (changes.length > 0) {
    await (await outputFolder(root)).write(PROJECT_FILE, text);
  }
  say(changes.map((change) => `changed ${PROJECT_FILE}: ${change}`));
  if (isRequestedOtherwise && trials > 1) {
    const again = await triedAndFixed(root, trying, trials - 1);
    return { ...again, changes: [...changes, ...again.changes], leftOut: [...leftOut, ...again.leftOut] };
  }
  const working = new Map([...tried].filter(([, one]) => isAnswering(one) || isLocked(one)));
  const others = working.size === 0 ? [] : [...tried].filter(([name]) => !working.has(name));
  if (others.length > 0) {
    const names = others.map(([name]) => name);
    await (await outputFolder(root)).write(PROJECT_FILE, withoutServices(text, names));
  }
  const shown = working.size === 0 ? tried : working;
  say(emptyWords(shown));
  say(leftWords(shown));
  const failed = others.map(([name, { failure }]) => ({
    name,
    why: failure === undefined ? 'it answered none of its operations' : shortFailure(name, failure),
  }));
  return { tried: shown, changes, leftOut: [...leftOut, ...failed], further };
}

async function triedServices(files: SuiteFiles, trying: Trying): Promise<TriedServices> {
  const unset = unsetCredentials(files);
  const secrets = takeSecrets(files.secrets.filter(({ variable }) => !unset.includes(variable)));
  const tried = new Map<string, TriedService>();
  for (const service of files.services.values()) {
    tried.set(service.name, await startedOrNot(files, withoutCredentials(service, unset), { ...trying, secrets }));
  }
  return tried;
}

/** Result of a build, with progress lines while it runs. */
async function whileSaying<Result>(log: (line: string) => void, work: Promise<Result>): Promise<Result> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += BUILDING_SECONDS;
    log(`still building, for ${seconds} s`);
  }, BUILDING_SECONDS * 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Variables that only headers use and that are not set: a service is tried without them, even if its contract requires them. */
function unsetCredentials({ secrets, services }: SuiteFiles): readonly string[] {
  const sent = JSON.stringify([...services.values()].map(({ headers, metadata }) => ({ headers, metadata })));
  return secrets
    .map(({ variable }) => variable)
    .filter((name) => (process.env[name] ?? '') === '' && sent.includes(`\${env.${name}}`));
}

function withoutCredentials({ headers, metadata, ...service }: TriedOne, unset: readonly string[]): TriedOne {
  const kept = (all: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(
      Object.entries(all).filter(([, value]) => !unset.some((name) => value.includes(`\${env.${name}}`))),
    );
  return { ...service, ...(headers && { headers: kept(headers) }), ...(metadata && { metadata: kept(metadata) }) };
}

type TriedOne = Parameters<typeof tryService>[1];

interface TryingOne extends Trying {
  readonly secrets: Secrets;
}

/** Runtime with the built service; if the build fails, the reason, which is printed in full. */
async function openedOrNot({
  root,
  service,
  signal,
  log,
  built,
  runtime: choice,
  secrets: { lookups },
}: TryingOne & { readonly root: string; readonly service: TriedOne }): Promise<Runtime | KnownError> {
  try {
    // Lines about tools and the runtime are the same for each service.
    const isSaid = (line: string): boolean => built.size > 0 && /^(?:load tools|runtime):/.test(line);
    const opened = {
      choice,
      root,
      services: [service],
      lookups,
      signal,
      log: (line: string) => isSaid(line) || log(line),
    };
    const { runtime } = await whileSaying(log, openRuntime(opened));
    return runtime;
  } catch (thrown) {
    if (!(thrown instanceof KnownError) || signal.aborted) {
      throw thrown;
    }
    log(untriedWords(thrown) ?? thrown.brief);
    return thrown;
  }
}

/** A service that cannot be built or started does not prevent trying the others. */
async function startedOrNot({ root, suite }: SuiteFiles, service: TriedOne, trying: TryingOne): Promise<TriedService> {
  const { signal, log, secrets, built } = trying;
  try {
    const parts = programsOf([service]).map(({ image, process: plain }) => [image, plain?.build]);
    const key = JSON.stringify([service.name, parts]);
    const runtime = built.get(key) ?? (await openedOrNot({ ...trying, root, service }));
    built.set(key, runtime);
    if (runtime instanceof KnownError) {
      throw runtime;
    }
    using late = abortAfter(MAX_SECONDS * 1000);
    log(`trying ${service.name}`);
    const both = AbortSignal.any([signal, late.signal]);
    const trial = { runtime, client: protocolClient(secrets), clock: systemClock, signal: both };
    return await tryService(trial, service, operationsFor(suite, service.name)).catch((cause: unknown) => {
      throw late.signal.aborted && !signal.aborted
        ? new MeasurementError(`not finished within ${MAX_SECONDS / 60} min after the build`, {
            code: 'WG-302',
            cause,
            next: 'Try it by hand: wiregauge run --profile smoke',
          })
        : cause;
    });
  } catch (thrown) {
    if (!(thrown instanceof KnownError) || signal.aborted) {
      throw thrown;
    }
    return { operations: [], failure: thrown.brief, printedPort: undefined, path: undefined };
  }
}

/** True if only credentials are missing. */
function isLocked({ operations }: TriedService): boolean {
  return operations.some(({ status }) => isGuarded(status));
}

function isAnswering({ operations, path }: TriedService): boolean {
  return path !== undefined || operations.some(({ refusal }) => refusal === undefined);
}

export function trialLines(tried: TriedServices): readonly string[] {
  return [...tried].flatMap(([name, { operations, failure }]) =>
    failure === undefined
      ? operations.map(({ operation, call, status = '', refusal }) => {
          const [state, words] =
            refusal === undefined
              ? ['ok     ', `answered ${cleanText(status, 20)}`]
              : ['refused', cleanText(refusal, 300)];
          return `${state}  ${name}: ${cleanText(operation, 80)}: ${cleanText(call, 100)}: ${words}`;
        })
      : [`problem  ${name}: ${cleanText(shortFailure(name, failure), 500)}`],
  );
}

/** Reason of a failure, without the name and the output of a build, which were already printed. */
function shortFailure(name: string, failure: string): string {
  const own = failure.startsWith(name) ? failure.slice(name.length).replace(/^:? /, '') : failure;
  return own.replace(/^cannot be built: [\s\S]*/, 'cannot be built, for the reason above');
}

/** Line for each service with operations that returned no data. */
export function emptyWords(tried: TriedServices): readonly string[] {
  return [...tried].flatMap(([name, { operations }]) => {
    const empty = operations.filter(({ isEmpty, refusal }) => isEmpty === true && refusal === undefined);
    const calls = shortList(empty.map(({ call }) => call));
    const advice = 'fill the database before the service starts, since empty responses cost less than real ones';
    return empty.length === 0 ? [] : [`empty    ${name}: nothing in the answers of ${calls}: ${advice}`];
  });
}

const PREPARE = `\`prepare\` (${documentAddress('docs/config.md#requests-that-prepare-it')})`;

/** Advice for services that are not yet measurable; the first match is used. */
const ADVICE: readonly (readonly [fits: (one: TriedService) => boolean, advice: string])[] = [
  [isLocked, `requires credentials. Log in with ${PREPARE}, or set some: API_TOKEN=...`],
  [
    ({ operations }) => operations.length > 0 && operations.every(({ status }) => status === 'NOT_FOUND'),
    `does not have what was requested. Use arguments that it knows, or create what they name with ${PREPARE}, and try again:`,
  ],
  [
    () => true,
    `did not answer as a measurement needs. Fix \`services\` or \`operations\` in ${PROJECT_FILE}, and try again:`,
  ],
];

/** Lines about services that are not yet measurable; a single line if there are none. */
export function leftWords(tried: TriedServices): readonly string[] {
  const left = [...tried].filter(([, one]) => !isAnswering(one));
  const lines = ADVICE.flatMap(([, advice], place) => {
    const names = left.filter(([, one]) => ADVICE.findIndex(([fits]) => fits(one)) === place).map(([name]) => name);
    return names.length === 0 ? [] : [`Not working yet: ${names.join(', ')} ${advice} wiregauge run --profile smoke`];
  });
  return left.length === 0 ? ['Tried: every service answers.'] : lines;
}

type TriedServices = ReadonlyMap<string, TriedService>;

const FIXES: readonly ((fixing: Fixing) => readonly Change[])[] = [
  fixNotCreated,
  fixStillMissing,
  fixMissing,
  fixArguments,
  fixCredentials,
  rateLimited,
  fixSlashes,
  fixOperations,
  fixQueries,
  fixMethods,
  fixProtocol,
  fixTls,
  fixFewOperations,
  fixSetuptools,
  fixLock,
  fixNeedPort,
  fixFlag,
  fixLost,
  fixVarying,
  fixPort,
  fixReady,
];

const NOTHING: FixKnowledge = { further: new Map(), logins: new Map(), hasToken: false, isLast: false, documents: [] };

/**
 * Text of a wiregauge.yml with the fixes from a trial, and a line for each change; everything else stays unchanged. `leftOut` are removed operations,
 * `further` the missing routes that were not tried.
 */
export function fixedText(text: string, tried: TriedServices, known: FixKnowledge = NOTHING) {
  const document = parseDocument(text);
  const changes = [...tried].flatMap(([name, service]) => {
    const made: Change[] = [];
    for (const fix of FIXES) {
      const waiting = new Set(made.flatMap(({ operations = [] }) => operations));
      made.push(...fix({ ...fixingOf(document, name), service, known, waiting }));
    }
    return made;
  });
  const further = [...known.further].map(
    ([name, routes]) => [name, furtherOf(fixingOf(document, name), routes)] as const,
  );
  return {
    text: changes.every(({ words }) => words === undefined)
      ? text
      : document.toString({ lineWidth: 0, flowCollectionPadding: true }),
    changes: changes.flatMap(({ words }) => words ?? []),
    leftOut: changes.flatMap(({ leftOut = [] }) => leftOut),
    further: new Map(further),
    isRequestedOtherwise: changes.some((change) => change.isRequestedOtherwise === true),
  };
}

/** Text without services that do not work: they would prevent measuring the others. */
export function withoutServices(text: string, names: readonly string[]): string {
  const document = parseDocument(text);
  for (const name of names) {
    document.deleteIn(['services', name]);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
