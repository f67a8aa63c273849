import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { EnvironmentError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { shellCommand } from '../../foundation/text.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { onDisk } from '../../host/files/output.ts';
import { cacheFolder } from '../../host/files/own-folders.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { BUILD_VARIABLES, environmentOfBuild } from '../../host/workflow.ts';
import { relevantLine, relevantLines } from '../../model/secrets/printed.ts';
import type { Program, Service } from '../../model/service.ts';
import { pythonEnvironment, type Site } from './site.ts';

const LIMIT_SECONDS = 900;

/** Lines of a build's log that are searched for the cause of a failure. */
const LOG_LINES = 400;

/** Runs each distinct build command once, in order. Returns the folders to put first on the PATH of services. */
export async function buildServices(
  site: Site,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { root, log } = site.options;
  const folders = needsUv(services, root)
    ? [join(pythonEnvironment(root), 'bin'), await uvFolder({ environment: process.env, signal, log })]
    : [];
  const environment = buildEnvironment(site, folders);
  const done = new Set<string>();
  for (const program of services.flatMap(partsOf)) {
    for (const argv of program.process?.build ?? []) {
      const key = JSON.stringify(argv);
      if (!done.has(key)) {
        done.add(key);
        await build({ program, argv, root, environment }, signal);
      }
    }
  }
  return folders;
}

function partsOf(service: Service): readonly Program[] {
  return [service, ...(service.members ?? [])];
}

interface Build {
  readonly program: Program;
  readonly argv: readonly string[];
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function needsUv(services: readonly Service[], root: string): boolean {
  const commands = services
    .flatMap(partsOf)
    .flatMap(({ process: source }) => (source === undefined ? [] : [...source.build, source.command]));
  return commands.some(([program]) => program === 'uv') || existsSync(join(root, 'uv.lock'));
}

/** Flags that keep the folder of the version and its commit out of the binary: equal sources give equal binaries. Later flags take precedence. */
const GO_FLAGS = ['-trimpath', '-buildvcs=false'];

function buildEnvironment({ options }: Site, folders: readonly string[]): Build['environment'] {
  const path = [...folders, process.env['PATH'] ?? ''].join(':');
  const { given } = environmentOfBuild(process.env);
  return {
    ...given,
    PATH: path,
    GOFLAGS: [...GO_FLAGS, given['GOFLAGS'] ?? ''].join(' ').trim(),
    [OWNER_VARIABLE]: options.owner,
    ...(folders.length > 0 && { UV_PROJECT_ENVIRONMENT: pythonEnvironment(options.root), VIRTUAL_ENV: undefined }),
  };
}

async function build({ program, argv, root, environment }: Build, signal: AbortSignal): Promise<void> {
  const command = shellCommand(argv);
  const limits = { signal, limitSeconds: LIMIT_SECONDS };
  const end = await runChild({ argv, cwd: root, environment }, limits).catch((thrown: unknown) => {
    const [file = ''] = argv;
    // A missing file of the repository is this version's fault; a missing program is the machine's.
    if (!(thrown instanceof EnvironmentError) || !file.includes('/') || isAbsolute(file)) {
      throw thrown;
    }
    throw new MeasurementError(`${program.name} cannot be built: \`${command}\` cannot be started`, {
      code: 'WG-301',
      cause: thrown,
      next: `Check that ${file} exists in the repository and is executable.`,
    });
  });
  if (end.exitCode !== 0 || end.timedOut) {
    const how = end.timedOut ? `was stopped after ${LIMIT_SECONDS} s` : `ended with exit code ${end.exitCode}`;
    const what = `${program.name} cannot be built: \`${command}\` ${how}`;
    const log = end.lines(LOG_LINES);
    const line = relevantLine(log, process.env, 'first');
    const printed = relevantLines(log, process.env, 'first');
    throw new MeasurementError(`${what}; ${line === undefined ? 'it printed nothing' : `it printed:\n${printed}`}`, {
      code: 'WG-301',
      brief: line === undefined ? what : `${what}; it printed: ${line}`,
      printed,
      // Without a folder: that of a version no longer exists when the message is read.
      next: `Run \`${command}\` in the root of the repository, and fix the errors that it reports.${withheldNote()}`,
    });
  }
}

function withheldNote(): string {
  const { withheld } = environmentOfBuild(process.env);
  const example = `\`env: { ${BUILD_VARIABLES}: ${withheld[0]} }\``;
  return withheld.length === 0
    ? ''
    : ` In a workflow the build does not see ${withheld.slice(0, MAX_NAMES).join(', ')}${withheld.length > MAX_NAMES ? ' and others' : ''}; list the variables that it needs: ${example}.`;
}

/** Maximum number of variables in a message. */
const MAX_NAMES = 8;

interface UvSearch {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

const PROBE_SECONDS = 20;

const INSTALL_SECONDS = 300;

/** Folder with a `uv` of the pinned version: on PATH, in the cache, or installed from the Python package index. */
export async function uvFolder(search: UvSearch): Promise<string> {
  const cached = join(cacheFolder(search.environment), `uv-${UV_VERSION}`);
  const folders = [
    ...(search.environment['PATH'] ?? '').split(':').filter((folder) => folder !== ''),
    join(cached, 'bin'),
  ];
  for (const folder of new Set(folders)) {
    if (await isPinned(folder, search)) {
      return folder;
    }
  }
  search.log(`uv ${UV_VERSION} is not on PATH: installing it in ${cached}`);
  await install(cached, search);
  return join(cached, 'bin');
}

async function isPinned(folder: string, search: UvSearch): Promise<boolean> {
  if (!existsSync(join(folder, 'uv'))) {
    return false;
  }
  try {
    const { lastLines } = await run([join(folder, 'uv'), '--version'], search, PROBE_SECONDS);
    return new RegExp(`^uv ${UV_VERSION.replaceAll('.', '\\.')}(\\s|$)`, 'm').test(lastLines);
  } catch (thrown) {
    search.signal.throwIfAborted();
    // It does not run here.
    if (thrown instanceof EnvironmentError) {
      return false;
    }
    throw thrown;
  }
}

// Installs to a separate folder and renames it, so that concurrent or interrupted starts leave nothing incomplete. Only the uv binary is used from
// there, which works after the environment was moved.
async function install(cached: string, search: UvSearch): Promise<void> {
  const parent = dirname(cached);
  const scratch = await onDisk(parent, async () => {
    await mkdir(parent, { recursive: true });
    return await mkdtemp(`${cached}-`);
  });
  try {
    await makeEnvironment(scratch, search);
    const required = join(scratch, 'requirements.txt');
    const pinned = [`uv==${UV_VERSION}`, ...UV_HASHES.map((hash) => `--hash=sha256:${hash}`)].join(' ');
    await onDisk(parent, () => writeFile(required, pinned));
    const pip = [join(scratch, 'bin', 'python3'), '-m', 'pip', 'install', '--disable-pip-version-check', '--quiet'];
    const hashed = ['--require-hashes', '--only-binary', ':all:', '--requirement', required];
    const installed = await run([...pip, ...hashed], search, INSTALL_SECONDS);
    if (installed.exitCode !== 0) {
      throw notInstalled(installed.lastLines);
    }
    await rm(cached, { recursive: true, force: true });
    await onDisk(cached, () => rename(scratch, cached));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function notInstalled(printed: string): EnvironmentError {
  const [, found] = /Expected\s+sha256[\s\S]*Got\s+([0-9a-f]{64})/.exec(printed) ?? [];
  const own = `install uv ${UV_VERSION} yourself and add it to PATH.`;
  return found === undefined
    ? new EnvironmentError(`uv ${UV_VERSION} cannot be installed with pip:\n${printed}`, {
        code: 'WG-213',
        next: `Check that the Python package index is reachable, or ${own}`,
      })
    : new EnvironmentError(`uv ${UV_VERSION} in the package index has the SHA-256 ${found}, not the pinned one`, {
        code: 'WG-204',
        next: `The file was changed in transit or at its source. Do not use it: report it to the operators of the index, or ${own}`,
      });
}

async function makeEnvironment(folder: string, search: UvSearch): Promise<void> {
  const made = await run(['python3', '-m', 'venv', folder], search, INSTALL_SECONDS).catch((cause: unknown) => {
    search.signal.throwIfAborted();
    throw new EnvironmentError(`python3 cannot be started: ${messageOf(cause)}`, {
      code: 'WG-213',
      cause,
      next: 'Install Python 3.11 or newer, or measure with --runtime docker.',
    });
  });
  if (made.exitCode !== 0) {
    throw new EnvironmentError(`python3 cannot create a virtual environment:\n${made.lastLines}`, {
      code: 'WG-213',
      next: `Install its venv module (Debian, Ubuntu: python3-venv), or install uv ${UV_VERSION} and add it to PATH.`,
    });
  }
}

async function run(argv: readonly string[], search: UvSearch, limitSeconds: number): Promise<ChildEnd> {
  return await runChild({ argv, cwd: '/', environment: search.environment }, { signal: search.signal, limitSeconds });
}

/**
 * Version of uv that builds and locks the Python services. After a change: `echo uv==<version> | uv pip compile - --generate-hashes` gives the
 * hashes, for this file and scripts/uv.
 */
export const UV_VERSION = '0.13.8';

/** SHA-256 of every wheel of that version, for any platform: a package index may serve no other file. */
export const UV_HASHES: readonly string[] = [
  '0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d',
  '0ec33661a14e38dea8dfb18167d2a4a5c7fe3d476c62dd8eb6acf5f378727201',
  '13050c64530a1ccfc223af0306a8152d41c0d36ea63bc19161221ca65dfe480a',
  '29451c60f5e8b07403e0a175d5229efc36b0289b34143ff4aaa499a5dd52553a',
  '5337c30bb893b4f9ce0ceb921ba2da0d13f649da644f40ad3bef84083bef0203',
  '55c0b405e75dea1d1c53efc9a8e0725f4031be0e219ec2a08b15d78ece9a616a',
  '5ace7ec339798aca31be51a75fa7c1544fe84e02fadd17a9fa3324813bbaf237',
  '62b6943c7fd64fac6854f780bea6e0359e5a5bc3241f83ee357bb38276afac49',
  '63d807451e63c8d21b1b33c945af16438ac9d8ffddc59b31ce69c692135891f5',
  '6999618363d03a0a085a9491db319e00b461dbda205db06ef1fd55dfcbf6472b',
  '86f1319f851e645bc295bb921e6be19beae7e69216c75ae809010ca7817393aa',
  '87614f62b09e3571593ffe01bf2e1dccb8df928a8423324dba80c6d0e33060eb',
  '9cf0b7b12f13da6ab1c85694ab618d97a2bbd0c904cdea7f0172fb1dd768b9d5',
  'b26fe533dc6153787e40443b7d9428ed41349127bff36a954ec82c48be01ded9',
  'b4184029b1b7c54409b9cd4372c73a36ef9c2d1d7cf3b0aca59c8b1932f041dc',
  'b7124ca1956ec2e476a1003ea5715a15f0266afaec37f4dc9c6972ba8183e6d1',
  'bfcaada3989c7716ad4b58673cd1413fad4fdc6b2e446f9553db0ef18da20850',
  'cfbc13020a64cdf2f116d2936824c38edbf41e5c07f1ea291baf02e31ebf3ed0',
  'e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984',
];
