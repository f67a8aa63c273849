import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../adapters/cache-folder.ts';
import { checkSystem } from '../adapters/cores.ts';
import { dockerAnswers } from '../adapters/docker.ts';
import { gitFacts } from '../adapters/git-facts.ts';
import { machineFacts } from '../adapters/machine-facts.ts';
import { freePort } from '../adapters/ports-free.ts';
import { goVersion, toolsState } from '../adapters/tools-state.ts';
import { isInWorkflow, withoutCommands } from '../adapters/workflow-command.ts';
import { type Diagnosis, ok, problem, warning } from '../app/doctor/diagnosis.ts';
import { engineDiagnosis, toolsDiagnoses } from '../app/doctor/engine.ts';
import { machineDiagnoses } from '../app/doctor/machine.ts';
import { gitDiagnoses, type WorkflowFacts, withoutCredentials, workflowDiagnoses } from '../app/doctor/repository.ts';
import { ConfigError, KnownError } from '../core/errors.ts';
import { githubEvent } from '../core/github-event.ts';
import type { Service } from '../core/service.ts';
import { cleanText } from '../reports/escape.ts';
import { containersOnly } from './containers-only.ts';
import { withCheckedContracts } from './contracts.ts';
import { OWN_ROOT } from './own-root.ts';
import { policyFor } from './policy.ts';
import { tellResult } from './result.ts';
import { takeSecrets } from './secrets.ts';
import { interruptible } from './signals.ts';
import { readSuite, suiteRoot } from './suite.ts';

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
      engineDiagnosis(await dockerAnswers(), containersOnly(config.services)),
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

function refused(about: string, thrown: unknown): Diagnosis {
  if (thrown instanceof KnownError) {
    return problem(about, thrown.message, thrown.next);
  }
  throw thrown;
}

async function machine(): Promise<readonly Diagnosis[]> {
  const system = await checked('system', () => checkSystem(), `Linux, Node.js ${process.version}`);
  return system.some(({ state }) => state === 'problem')
    ? system
    : [...system, ...machineDiagnoses(machineFacts()), ...(await checked('ports', freePort))];
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

interface Configuration {
  readonly services: readonly Service[];
  readonly diagnoses: readonly Diagnosis[];
}

const ABOUT = 'configuration';

function configuration(name: string | undefined): Configuration {
  const root = suiteRoot(process.cwd(), OWN_ROOT);
  if (root === OWN_ROOT && process.cwd() !== OWN_ROOT) {
    return { services: [], diagnoses: [NOTHING_HERE] };
  }
  try {
    const { suite, services, secrets } = withCheckedContracts(readSuite(root, name));
    const all = [...services.values()];
    policyFor(root, suite, undefined);
    const missing = dockerfilesMissing(root, all);
    const names = `${[...services.keys()].join(', ')}: ${suite.operations.map((operation) => operation.name).join(', ')}`;
    takeSecrets(secrets);
    return { services: all, diagnoses: missing.length > 0 ? missing : [ok(ABOUT, names)] };
  } catch (thrown) {
    return { services: [], diagnoses: [refused(ABOUT, thrown)] };
  }
}

const NOTHING_HERE = warning(
  ABOUT,
  'there is neither wiregauge.yml nor suites/*.yml here: the demonstration would be measured',
  '`wiregauge init` writes a wiregauge.yml.',
);

/** An engine would say so only when it builds. */
function dockerfilesMissing(root: string, services: readonly Service[]): readonly Diagnosis[] {
  return services.flatMap(({ name, image, process: plain }) => {
    if (image === undefined || 'reference' in image || existsSync(join(root, image.dockerfile))) {
      return [];
    }
    const next = `Write one, or give ${name} another: \`image: { context: ., dockerfile: path/to/Dockerfile }\`.`;
    const says = `${name}: there is no ${image.dockerfile}`;
    return [
      plain === undefined
        ? problem(ABOUT, says, next)
        : warning(ABOUT, `${says}; it is started as a plain process`, next),
    ];
  });
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
