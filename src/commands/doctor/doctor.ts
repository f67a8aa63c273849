import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../foundation/text.ts';
import { githubEvent } from '../../github/event.ts';
import { payloadIn } from '../../github/host/workflow-host.ts';
import { gitFacts } from '../../host/git/repository.ts';
import { lockHolder } from '../../host/locks.ts';
import { checkSystem, readMachineFacts } from '../../host/machine/machine.ts';
import { freePort } from '../../host/machine/ports.ts';
import { interruptible } from '../../host/signals.ts';
import { githubToken, isInWorkflow } from '../../host/workflow.ts';
import {
  containersOnly,
  type MeasureFlags,
  plainPrograms,
  type RuntimeChoice,
  refuseMixedStarts,
} from '../../measure/session/runtime.ts';
import { needsContainers, programsOf, type Service } from '../../model/service.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor, takeSecrets } from '../../project/policy.ts';
import { readSuite, suiteRoot, withCheckedContracts } from '../../project/suite.ts';
import { protocolClient } from '../../protocols/client.ts';
import { dockerAnswers } from '../../runtime/docker/engine.ts';
import { buildFacts } from '../../runtime/docker/images/plain.ts';
import { cachesHere } from '../../runtime/tools/places.ts';
import { goVersion, toolsState } from '../../runtime/tools/tools.ts';
import { findValgrind, valgrindFiles } from '../../runtime/valgrind/valgrind.ts';
import { printResult } from '../program/result.ts';
import { coverageDiagnoses, coverageOf } from './coverage.ts';
import { type Diagnosis, failedCheck, ok, problem, warning } from './diagnosis.ts';
import {
  buildDiagnoses,
  counterDiagnosis,
  engineDiagnosis,
  lockDiagnosis,
  machineDiagnoses,
  toolsDiagnosis,
  uncheckedEngineDiagnosis,
} from './machine.ts';
import { queryDiagnoses } from './queries.ts';
import { gitDiagnoses, withoutCredentials, workflowDiagnoses } from './repository.ts';

interface DoctorFlags extends Pick<MeasureFlags, 'suite' | 'runtime' | 'json'> {
  readonly traffic?: readonly string[];
  /** Share from 0 to 1. */
  readonly atLeast?: number;
}

/**
 * `wiregauge doctor`: checks that this machine, its engine and tools, the configuration, the clone and the workflow are ready to measure, and
 * prints a fix for each problem. Starts and fetches nothing; sends an introspection query to a running GraphQL service. Exit code 0; 2 if a problem
 * prevents measuring. With `--traffic`, prints the share of that traffic that the configuration measures; exit code 1 if it is below `--at-least`.
 */
export async function doctor({ suite, runtime, json, traffic, atLeast = 0 }: DoctorFlags): Promise<number> {
  if (traffic !== undefined) {
    const coverage = await coverageOf(suiteRoot(process.cwd(), OWN_ROOT), suite, traffic);
    printResult({ command: 'doctor', json }, { coverage }, coverageDiagnoses(coverage, atLeast).map(lineOf).join(''));
    return coverage.share < atLeast ? 1 : 0;
  }
  return await interruptible(async (signal) => {
    const diagnoses = await diagnosesOf({ root: process.cwd(), suite, runtime, signal });
    const problems = diagnoses.filter(({ state }) => state === 'problem').length;
    printResult({ command: 'doctor', json }, { ready: problems === 0, checks: diagnoses }, textOf(diagnoses, problems));
    return problems === 0 ? 0 : 2;
  });
}

interface DoctorPlace extends Pick<MeasureFlags, 'suite' | 'runtime'> {
  /** Folder with the configuration and the clone. */
  readonly root: string;
  readonly signal: AbortSignal;
}

async function diagnosesOf({ root, suite, runtime, signal }: DoctorPlace): Promise<readonly Diagnosis[]> {
  const { files, diagnoses } = configuration(suite, runtime, root);
  const clone = await gitFacts(root);
  const origin = clone.kind === 'none' ? undefined : clone.origin && withoutCredentials(clone.origin);
  return [
    ...(await machine()),
    ...(await engine(runtime, [...(files?.services.values() ?? [])], signal)),
    toolsDiagnosis(await toolsState({ ...cachesHere(), root: OWN_ROOT, signal }), await goVersion(signal)),
    ...diagnoses,
    ...(files === undefined ? [] : await queryDiagnoses(protocolClient(takeSecrets(files.secrets)), files)),
    ...gitDiagnoses(clone.kind === 'none' ? clone : { ...clone, origin }),
    ...workflow(),
  ];
}

export async function faultsOf(place: DoctorPlace): Promise<{
  readonly faults: readonly Diagnosis[];
  readonly lines: readonly string[];
}> {
  const faults = (await diagnosesOf(place)).filter(({ state }) => state !== 'ok');
  return { faults, lines: faults.map((one) => lineOf(one).trimEnd()) };
}

/** Diagnosis from the error of a check; `good` without one. */
async function checked(about: string, check: () => unknown, good?: string): Promise<readonly Diagnosis[]> {
  try {
    await check();
    return good === undefined ? [] : [ok(about, good)];
  } catch (thrown) {
    return failedCheck(about, thrown);
  }
}

async function machine(): Promise<readonly Diagnosis[]> {
  const system = await checked('system', () => checkSystem(), `Linux, Node.js ${process.version}`);
  const counter = await findValgrind(process.env['PATH'] ?? '');
  const isForContainers = counter !== undefined && (await valgrindFiles(counter).catch(() => undefined)) !== undefined;
  return system.some(({ state }) => state === 'problem')
    ? system
    : [
        ...system,
        ...machineDiagnoses(readMachineFacts()),
        counterDiagnosis(counter && { version: counter.version, isForContainers }),
        ...(await checked('ports', freePort)),
        lockDiagnosis(await lockHolder()),
      ];
}

async function engine(
  runtime: RuntimeChoice,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<readonly Diagnosis[]> {
  const missing = containersOnly(plainPrograms(services));
  if (runtime === 'process' && (missing.length > 0 || !services.some(needsContainers))) {
    return [uncheckedEngineDiagnosis(missing)];
  }
  const answer = await dockerAnswers();
  const diagnosis = engineDiagnosis(answer, containersOnly(programsOf(services)), runtime === 'docker');
  if (!answer.ok) {
    return [diagnosis];
  }
  const builds = await buildFacts(signal).then(buildDiagnoses, (thrown: unknown) =>
    failedCheck('image builds', thrown),
  );
  return [diagnosis, ...builds];
}

function workflow(): readonly Diagnosis[] {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: path = '' } = process.env;
  if (!isInWorkflow()) {
    return [];
  }
  try {
    const found = existsSync(path) ? githubEvent(event, payloadIn(path)) : undefined;
    const isFork = found?.kind === 'pull-request' && found.isFork;
    return workflowDiagnoses({ event, isFork, hasToken: githubToken() !== undefined });
  } catch (thrown) {
    return failedCheck('event', thrown);
  }
}

const SIGNS: Readonly<Record<Diagnosis['state'], string>> = { ok: 'ok     ', warning: 'warning', problem: 'problem' };

/** Indentation: a list of mistakes has several lines. */
const INDENTED = '\n         ';

function textOf(diagnoses: readonly Diagnosis[], problems: number): string {
  const ready = diagnoses.includes(NOTHING_HERE)
    ? 'Machine ready. No configuration yet: wiregauge init'
    : 'Ready: wiregauge run --profile smoke';
  const end = problems === 0 ? ready : 'Fix the problems before you measure.';
  return `${diagnoses.map(lineOf).join('')}${end}\n`;
}

function lineOf({ about, state, says, next }: Diagnosis): string {
  const said = says.split('\n').map((part) => cleanText(part));
  const line = `${SIGNS[state]}  ${about}: ${said.join(INDENTED)}\n`;
  return next === undefined ? line : `${line.trimEnd()}${INDENTED}${cleanText(next)}\n`;
}

const ABOUT = 'configuration';

/** Diagnosis of the configuration, and its files unless they have mistakes. */
export function configuration(
  name: string | undefined,
  runtime: RuntimeChoice = 'auto',
  folder: string = process.cwd(),
): { readonly files?: SuiteFiles; readonly diagnoses: readonly Diagnosis[] } {
  const root = suiteRoot(folder, OWN_ROOT);
  if (root === OWN_ROOT && folder !== OWN_ROOT) {
    return { diagnoses: [NOTHING_HERE] };
  }
  try {
    const files = withCheckedContracts(readSuite(root, name));
    const { suite, services, secrets } = files;
    const all = [...services.values()];
    refuseMixedStarts(all);
    policyFor(root, suite, undefined);
    const missing = runtime === 'process' ? [] : dockerfilesMissing(root, all);
    const groups = suite.groups ?? [{ services: [...services.keys()], operations: suite.operations }];
    const names = groups.map(
      (group) => `${group.services.join(', ')}: ${group.operations.map((one) => one.name).join(', ')}`,
    );
    takeSecrets(secrets);
    return { files, diagnoses: missing.length > 0 ? missing : [ok(ABOUT, names.join('; '))] };
  } catch (thrown) {
    return { diagnoses: failedCheck(ABOUT, thrown) };
  }
}

const NOTHING_HERE = warning(
  ABOUT,
  'there is neither wiregauge.yml nor suites/*.yml here',
  'Run `wiregauge init` to create a wiregauge.yml.',
);

/** Missing Dockerfiles, which an engine would report only when it builds. */
function dockerfilesMissing(root: string, services: readonly Service[]): readonly Diagnosis[] {
  return services.flatMap(({ name, image, process: plain }) => {
    if (image === undefined || 'reference' in image || existsSync(join(root, image.dockerfile))) {
      return [];
    }
    const next = `Write one, or set another for ${name}: \`image: { context: ., dockerfile: path/to/Dockerfile }\`.`;
    const says = `${name}: there is no ${image.dockerfile}`;
    return [
      plain === undefined ? problem(ABOUT, says, next) : warning(ABOUT, `${says}; it runs as a plain process`, next),
    ];
  });
}
