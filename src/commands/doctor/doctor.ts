import { existsSync, readFileSync } from 'node:fs';
import { ConfigError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/escape.ts';
import { githubEvent } from '../../github/github-event.ts';
import { cacheFolder } from '../../host/files/cache-folder.ts';
import { gitFacts } from '../../host/git/git-facts.ts';
import { checkSystem } from '../../host/machine/cores.ts';
import { readMachineFacts } from '../../host/machine/machine-facts.ts';
import { freePort } from '../../host/machine/ports-free.ts';
import { lockHolder } from '../../host/machine-lock.ts';
import { interruptible } from '../../host/signals.ts';
import { isInWorkflow, withoutCommands } from '../../host/workflow-command.ts';
import { containersOnly } from '../../measure/session/containers-only.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { buildFacts } from '../../runtime/docker/build/docker-builder.ts';
import { dockerAnswers } from '../../runtime/docker/docker-engine.ts';
import { goVersion, toolsState } from '../../runtime/tools/tools-state.ts';
import { tellResult } from '../program/result.ts';
import { type Diagnosis, failedCheck, ok } from './diagnosis.ts';
import { configuration } from './doctor-configuration.ts';
import { buildDiagnoses, engineDiagnosis, toolsDiagnoses } from './engine.ts';
import { lockDiagnosis, machineDiagnoses } from './machine.ts';
import { gitDiagnoses, type WorkflowFacts, withoutCredentials, workflowDiagnoses } from './repository.ts';

export interface DoctorFlags {
  readonly suite?: string;
  readonly json?: boolean;
}

/**
 * `wiregauge doctor`: whether this machine, its engine and tools, the configuration, the clone and the workflow have what measuring needs,
 * and what to do where they have not. Nothing is started or fetched. Exit code 0; 2 where something makes measuring impossible.
 */
export async function doctor({ suite, json }: DoctorFlags): Promise<number> {
  return await interruptible(async (signal) => {
    const config = configuration(suite);
    const diagnoses = [
      ...(await machine()),
      ...(await engine(containersOnly(config.services), signal)),
      ...(await loadTools(signal)),
      ...config.diagnoses,
      ...gitDiagnoses(await clone()),
      ...workflow(),
    ];
    const problems = diagnoses.filter(({ state }) => state === 'problem').length;
    tellResult(
      { command: 'doctor', json },
      {
        text: () => withoutCommands(textOf(diagnoses, problems)),
        data: () => ({ ready: problems === 0, checks: diagnoses }),
      },
    );
    return problems === 0 ? 0 : 2;
  });
}

/** What a check throws, as a diagnosis; `good` where it throws nothing. */
async function checked(about: string, check: () => unknown, good?: string): Promise<readonly Diagnosis[]> {
  try {
    await check();
    return good === undefined ? [] : [ok(about, good)];
  } catch (thrown) {
    return [failedCheck(about, thrown)];
  }
}

async function machine(): Promise<readonly Diagnosis[]> {
  const system = await checked('system', () => checkSystem(), `Linux, Node.js ${process.version}`);
  return system.some(({ state }) => state === 'problem')
    ? system
    : [
        ...system,
        ...machineDiagnoses(readMachineFacts()),
        ...(await checked('ports', freePort)),
        lockDiagnosis(await lockHolder()),
      ];
}

async function engine(containersOnlyNames: readonly string[], signal: AbortSignal): Promise<readonly Diagnosis[]> {
  const answer = await dockerAnswers();
  const diagnosis = engineDiagnosis(answer, containersOnlyNames);
  if (!answer.ok) {
    return [diagnosis];
  }
  const builds = await buildFacts(signal).then(buildDiagnoses, (thrown: unknown) => [
    failedCheck('image builds', thrown),
  ]);
  return [diagnosis, ...builds];
}

async function loadTools(signal: AbortSignal): Promise<readonly Diagnosis[]> {
  const toolCacheFolder = process.env['RUNNER_TOOL_CACHE'] || undefined;
  const request = {
    root: OWN_ROOT,
    signal,
    environment: process.env,
    cacheFolder: cacheFolder(process.env),
    architecture: process.arch === 'arm64' ? ('arm64' as const) : ('x64' as const),
    archives: undefined,
    releases: undefined,
    connectMs: undefined,
    ...(toolCacheFolder !== undefined && { toolCacheFolder }),
  };
  return toolsDiagnoses(await toolsState(request), await goVersion(signal));
}

async function clone() {
  const facts = await gitFacts(process.cwd());
  return facts.kind === 'none' || facts.origin === undefined
    ? facts
    : { ...facts, origin: withoutCredentials(facts.origin) };
}

function workflow(): readonly Diagnosis[] {
  const { GITHUB_EVENT_NAME: event = '', GITHUB_EVENT_PATH: path = '', GITHUB_TOKEN: token = '' } = process.env;
  if (!isInWorkflow()) {
    return [];
  }
  try {
    return workflowDiagnoses({ event, isFork: isFork(event, path), hasToken: token !== '' });
  } catch (thrown) {
    return [failedCheck('event', thrown)];
  }
}

function isFork(name: string, path: string): WorkflowFacts['isFork'] {
  if (!existsSync(path)) {
    return false;
  }
  const event = githubEvent(name, payloadOf(readFileSync(path, 'utf8')));
  return event.kind === 'pull-request' && event.isFork;
}

function payloadOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError('the file of the event is not JSON', { cause, next: 'Give the whole event.' });
  }
}

const SIGNS: Readonly<Record<Diagnosis['state'], string>> = { ok: 'ok     ', warning: 'warning', problem: 'problem' };

function textOf(diagnoses: readonly Diagnosis[], problems: number): string {
  const lines = diagnoses.map(({ about, state, says, next }) => {
    const line = `${SIGNS[state]}  ${about}: ${cleanText(says)}\n`;
    return next === undefined ? line : `${line}         ${cleanText(next)}\n`;
  });
  const end =
    problems === 0 ? 'Ready: wiregauge run --profile smoke' : 'Nothing can be measured until the problems are mended.';
  return `${lines.join('')}${end}\n`;
}
