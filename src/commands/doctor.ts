import { existsSync, readFileSync } from 'node:fs';
import { cacheFolder } from '../adapters/cache-folder.ts';
import { checkSystem } from '../adapters/cores.ts';
import { dockerAnswers } from '../adapters/docker.ts';
import { buildFacts } from '../adapters/docker-builder.ts';
import { gitFacts } from '../adapters/git-facts.ts';
import { machineFacts } from '../adapters/machine-facts.ts';
import { lockHolder } from '../adapters/machine-lock.ts';
import { freePort } from '../adapters/ports-free.ts';
import { goVersion, toolsState } from '../adapters/tools-state.ts';
import { isInWorkflow, withoutCommands } from '../adapters/workflow-command.ts';
import { type Diagnosis, ok, refused } from '../app/doctor/diagnosis.ts';
import { buildDiagnoses, engineDiagnosis, toolsDiagnoses } from '../app/doctor/engine.ts';
import { lockDiagnosis, machineDiagnoses } from '../app/doctor/machine.ts';
import { gitDiagnoses, type WorkflowFacts, withoutCredentials, workflowDiagnoses } from '../app/doctor/repository.ts';
import { ConfigError } from '../core/errors.ts';
import { githubEvent } from '../core/github-event.ts';
import { cleanText } from '../reports/escape.ts';
import { containersOnly } from './containers-only.ts';
import { configuration } from './doctor-configuration.ts';
import { OWN_ROOT } from './own-root.ts';
import { tellResult } from './result.ts';
import { interruptible } from './signals.ts';

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
    return [refused(about, thrown)];
  }
}

async function machine(): Promise<readonly Diagnosis[]> {
  const system = await checked('system', () => checkSystem(), `Linux, Node.js ${process.version}`);
  return system.some(({ state }) => state === 'problem')
    ? system
    : [
        ...system,
        ...machineDiagnoses(machineFacts()),
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
  const builds = await buildFacts(signal).then(buildDiagnoses, (thrown: unknown) => [refused('image builds', thrown)]);
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
    return [refused('event', thrown)];
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
