import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { ConfigError, ifPossible } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { programOnPath } from '../../host/child.ts';
import { outputFolder } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { type RepositoryFile, scanRepository } from '../../host/files/scan.ts';
import { runGit } from '../../host/git/git.ts';
import { checkoutRoot } from '../../host/git/repository.ts';
import { INTERRUPTED } from '../../host/signals.ts';
import { print, printJson, remarkLog } from '../../host/terminal/output.ts';
import { hasTerminal, withQuestions } from '../../host/terminal/questions.ts';
import type { RuntimeChoice } from '../../measure/session/runtime.ts';
import { PROJECT_FILE } from '../../project/suite.ts';
import { canContainNeeds } from '../../runtime/docker/needs.ts';
import { formatResult } from '../program/result.ts';
import { askAbout, askYes } from './questions.ts';
import { missingIgnores, withIgnores } from './read/places.ts';
import { withInstalled } from './services/needs.ts';
import { servicesWithChosen } from './services/others.ts';
import type { Proposal, Proposals } from './services/proposal.ts';
import { proposeServices } from './services/propose.ts';
import { proposalFromTraffic, type TrafficProposal, unreadTraffic } from './traffic/proposed.ts';
import { tryProposal } from './try/try.ts';
import { projectText } from './write/project-text.ts';
import { leftText, reportedData, writtenText } from './write/summary.ts';
import { idOf, workflowFiles } from './write/workflow-files.ts';

interface InitFlags {
  /** Files of traffic. */
  readonly from?: readonly string[];
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** True if the services are started and tried. */
  readonly try: boolean;
  readonly history?: boolean;
  /** True to propose operations that change data. */
  readonly writes?: boolean;
  /** Runtime for trying services. */
  readonly runtime: RuntimeChoice;
  readonly json?: boolean;
}

const IGNORE_FILE = '.gitignore';

/**
 * `wiregauge init`: writes a `wiregauge.yml` and workflows for the repository in a folder, from its files; prompts at a terminal only. For a folder
 * below the root of its checkout, the workflows go to that root. Starts its services and sends each request once, unless `--no-try` is set. Exit code
 * 0; 2 if a service answers no request, or measuring is impossible here; 130 if the prompts were canceled. Throws ConfigError, and writes nothing, if
 * there is no service, or one of the files already exists.
 */
export async function init(folder: string | undefined, flags: InitFlags): Promise<number> {
  const root = resolve(folder ?? '.');
  const checkout = checkoutRoot(root) ?? root;
  // Empty for the root of the checkout.
  const directory = relative(checkout, root);
  // Files with environment values that are in git, so that every clone has them; others belong to one user.
  const scan = scanRepository(root, await listed(root, ['--', '.env*', '*.env', '**/.env*']));
  const unshared = new Set(await listed(root, ['--others', '--ignored', '--exclude-standard', '--directory']));
  const { texts } = workflowFiles(directory, flags.history === true);
  refuseThere(root, [PROJECT_FILE, ...Object.keys(texts)], flags);
  const log = remarkLog(flags);
  for (const line of scan.unread) {
    log(`skipped: ${cleanText(line)}`);
  }
  const found = proposeServices({
    name: basename(root),
    files: scan.files,
    has: (path) => existsSync(join(root, path)) && !unshared.has(path) && !unshared.has(`${path}/`),
    above: protosAbove(root, checkout),
    writes: flags.writes,
    guarded: (process.env['API_TOKEN'] ?? '') !== '',
  });
  const { proposals, ...traffic } = await withTraffic(await startable(found), flags, scan.files);
  refuseNothing(root, proposals[0]);
  refuseThere(root, Object.keys(traffic.bodies), flags);
  const ignored = ignoredIn(root);
  // The root's .gitignore applies to its folders, too.
  const above = directory === '' ? '' : ignoredIn(checkout);
  const lacking = missingIgnores(`${above}\n${ignored}`, scan.files);
  const { history = '' } = workflowFiles(directory, true);
  const answers = await answersFor(flags, proposals, { lacking, isHistoryFree: !existsSync(join(root, history)) });
  if (answers === undefined) {
    print('\nwiregauge: nothing was written\n', 'err');
    return INTERRUPTED;
  }
  const { chosen, isIgnored, isTried, withHistory } = answers;
  const workflows = workflowFiles(directory, withHistory);
  const { written, leftOut } = servicesWithChosen(chosen, othersThan(chosen, proposals));
  const services = [chosen, ...written] as const;
  const { bodies, tiers, variables } = services.some(({ from }) => from === 'traffic') ? traffic : NO_TRAFFIC;
  const files = {
    [PROJECT_FILE]: projectText({ name: idOf(directory) || undefined, services, tiers }),
    ...bodies,
    ...workflows.texts,
    ...(isIgnored && { [IGNORE_FILE]: withIgnores(ignored, lacking) }),
  };
  const isDry = flags.dryRun === true;
  if (!isDry) {
    await writeAll(root, files);
  }
  const reported = { services, leftOut, files, workflows, isDry, variables, lacking: isIgnored ? [] : lacking };
  const say = (text: string): void => void (flags.json === true || print(text));
  say(writtenText(reported));
  const further = new Map(services.flatMap((one) => (one.from === 'sources' ? [[one.name, one.further]] : [])));
  const logins = new Map(services.map((one) => [one.name, one.logins]));
  const known = { further, logins, documents: scan.files };
  const trial = isTried ? await tryProposal(root, { ...flags, ...known, log }) : undefined;
  // A trial may have removed headers.
  const text = trial && readText(join(root, PROJECT_FILE), '', { root });
  const named = variables.filter((name) => text?.includes(`\${env.${name}}`) !== false);
  const left = { ...reported, variables: named };
  say(leftText(left, trial));
  if (flags.json === true) {
    printJson(formatResult('init', reportedData(root, left, trial)));
  }
  return trial?.exitCode ?? 0;
}

const NO_TRAFFIC = { bodies: {}, tiers: [], variables: [] };

interface FoundServices extends Omit<TrafficProposal, 'proposal'> {
  readonly proposals: Proposals;
}

/** Proposals whose needs start in containers where their programs are not installed, if there is an engine for these. */
async function startable(found: Proposals): Promise<Proposals> {
  const [first, ...rest] = found;
  const contained = [withInstalled(first, isInstalled), ...rest.map((one) => withInstalled(one, isInstalled))] as const;
  const isLacking = contained.some((one, place) => one !== found[place]);
  return isLacking && (await canContainNeeds()) ? contained : found;
}

const POSTGRES = '/usr/lib/postgresql';

/** Also in folders where Debian has servers that only root starts. */
function isInstalled(program: string): boolean {
  const versions = ifPossible(() => readdirSync(POSTGRES)) ?? [];
  const folders = [process.env['PATH'], '/usr/sbin', ...versions.map((version) => `${POSTGRES}/${version}/bin`)];
  return programOnPath(program, folders.join(':')) !== undefined;
}

/** Proposals; the one from traffic comes first and replaces the proposal that it extends. */
async function withTraffic(
  found: Proposals,
  { from, writes = false }: InitFlags,
  files: readonly RepositoryFile[],
): Promise<FoundServices> {
  if (from === undefined) {
    const [first, ...rest] = found;
    const leftOut = [...first.leftOut, ...unreadTraffic(files)];
    return { proposals: [{ ...first, leftOut }, ...rest], ...NO_TRAFFIC };
  }
  const isSet = (variable: string): boolean => (process.env[variable] ?? '') !== '';
  const { proposal, ...rest } = await proposalFromTraffic(found, from, { writes, isSet });
  return { proposals: [proposal, ...found.filter(({ name }) => name !== proposal.name)], ...rest };
}

/** Paths below a folder that git lists; empty outside of a checkout. */
async function listed(root: string, options: readonly string[]): Promise<readonly string[]> {
  if (checkoutRoot(root) === undefined) {
    return [];
  }
  const { ok, output } = await runGit(root, ['ls-files', '-z', ...options]);
  return ok ? output.split('\0').filter((path) => path !== '') : [];
}

/** Contracts in the checkout above the folder, or next to it. */
function protosAbove(root: string, checkout: string): readonly RepositoryFile[] {
  const directory = relative(checkout, root);
  const all = directory === '' ? [] : scanRepository(checkout).files;
  const others = all.filter(({ path }) => path.endsWith('.proto') && !path.startsWith(`${directory}/`));
  return others.map(({ path, text }) => ({ path: relative(root, join(checkout, path)), text }));
}

/** Fails early: a configuration without a service could not be measured. */
function refuseNothing(root: string, { image, process: plain, operations, further }: Proposal): void {
  if (image === undefined && plain === undefined && operations.length === 0 && further.length === 0) {
    throw new ConfigError(`found no service in ${root}`, {
      code: 'WG-102',
      next: 'init reads programs in Node.js, Python, Go, Java, Kotlin, C#, Rust, Ruby and PHP, and OpenAPI documents, .proto files and GraphQL schemas; for any other language, such as Elixir or C++, write a Dockerfile or a compose file that starts the program. Run it in the folder of your service: `wiregauge init path/to/service`. `wiregauge demo` measures services that come with Wiregauge.',
    });
  }
}

interface Answers {
  readonly chosen: Proposal;
  /** True if the lines that `.gitignore` lacks are added to it. */
  readonly isIgnored: boolean;
  readonly isTried: boolean;
  /** True if pushes to main are recorded, too. */
  readonly withHistory: boolean;
}

const HISTORY_QUESTION = 'Also measure each push to main, for a page of trends (some 20 minutes a push)';

/** Undefined if the user canceled. `isHistoryFree`: the history workflow would overwrite no file. */
async function answersFor(
  { yes, json, dryRun, try: isTried, history: withHistory = false }: InitFlags,
  proposals: Proposals,
  { lacking, isHistoryFree }: { readonly lacking: readonly string[]; readonly isHistoryFree: boolean },
): Promise<Answers | undefined> {
  if (yes === true || json === true || dryRun === true || !hasTerminal()) {
    return { chosen: proposals[0], isIgnored: false, isTried: isTried && dryRun !== true, withHistory };
  }
  return await withQuestions(async (ask) => {
    const chosen = await askAbout(proposals, ask);
    const ignores =
      chosen && (lacking.length === 0 ? 'n' : await askYes(`Add ${lacking.join(' ')} to .gitignore`, ask));
    const keeps = ignores && (withHistory || !isHistoryFree ? 'n' : await askYes(HISTORY_QUESTION, ask, 'n'));
    const tries = keeps && (isTried ? await askYes('Start the services and try each operation', ask) : 'n');
    const isKept = withHistory || keeps === 'y';
    return chosen && tries && { chosen, isIgnored: ignores === 'y', isTried: tries === 'y', withHistory: isKept };
  });
}

/** Proposals that are neither the chosen one, which the user may have renamed, nor a member of it. */
function othersThan(chosen: Proposal, proposals: readonly Proposal[]): readonly Proposal[] {
  const inside = chosen.members.map(({ name }) => name);
  const isChosen = ({ folder, image, protocol }: Proposal): boolean =>
    folder === chosen.folder && image === chosen.image && protocol === chosen.protocol;
  return proposals.filter((one) => !isChosen(one) && !inside.includes(one.name));
}

function ignoredIn(root: string): string {
  const file = join(root, IGNORE_FILE);
  return existsSync(file) ? readText(file, 'Fix its permissions, or remove it.') : '';
}

function refuseThere(root: string, paths: readonly string[], { force, dryRun }: InitFlags): void {
  if (force === true || dryRun === true) {
    return;
  }
  const found = paths.find((path) => existsSync(join(root, path)));
  if (found !== undefined) {
    throw new ConfigError(`${found} already exists`, {
      next: 'Use `wiregauge init --dry-run` to print what would be written, or `--force` to overwrite.',
    });
  }
}

async function writeAll(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const at = path.lastIndexOf('/') + 1;
    await (await outputFolder(join(root, path.slice(0, at)))).write(path.slice(at), text);
  }
}
