import { terminalText } from '../foundation/text.ts';

/** Whether this program runs in a workflow of GitHub Actions, whose log takes commands. */
export function isInWorkflow(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}

/** Command of a workflow, as a line of its log. */
export interface WorkflowCommand {
  readonly name: 'group' | 'endgroup' | 'notice' | 'warning' | 'error';
  readonly text?: string;
  readonly title?: string;
  /** Place that GitHub shows it at. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

/** Line that the log takes for a command: a group, its end, or a remark with a title. Nothing in its texts steers a terminal. */
export function workflowCommand({ name, text = '', title, path, line }: WorkflowCommand): string {
  const properties = Object.entries({ title, file: path, line }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${name}${properties.length === 0 ? '' : ` ${properties.join(',')}`}::${escaped(text)}\n`;
}

/** Text as the log of a workflow may hold it: nothing in it is taken for a command, in neither of the two forms that a runner knows. */
export function withoutCommands(text: string): string {
  return text
    .replaceAll('##[', '# #[')
    .replace(/^[^\p{L}\p{N}\n\r]*::/gmu, (start) => start.replace(/:{2,}/g, (row) => row.split('').join(' ')));
}

function withoutOldCommands(text: string): string {
  return text.replaceAll('##[', '# #[');
}

function escaped(text: string): string {
  return withoutOldCommands(terminalText(text)).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What a workflow hands to its steps and neither a build of a pull request nor anything that it starts has any business with. */
const OF_THE_WORKFLOW = /^(INPUT_|STATE_|ACTIONS_|(GITHUB|GH)_TOKEN$|GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$)/;

/** The environment without the tokens, inputs and files of commands that a step of a workflow has. */
export function withoutWorkflowVariables(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfWorkflow(name)));
}

/**
 * The environment of a program that is started: as it is given, but in a workflow for the tokens, inputs and command files that it would
 * only inherit. One of these names with a value of its own stays, such as a variable of a service.
 */
export function childEnvironment(given: Variables, own: Variables = process.env): Record<string, string> {
  const isInherited = (name: string, value: string) => isInWorkflow(own) && isOfWorkflow(name) && value === own[name];
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined || isInherited(name, value) ? [] : [[name, value] as const],
    ),
  );
}

/** The token of the action's input, which is in no environment. */
let inputToken: string | undefined;

/** Keeps the token of the action for `githubToken` until it is disposed of; programs that are started never get it. */
export function keepToken(token: string | undefined): Disposable {
  const before = inputToken;
  inputToken = token;
  return {
    [Symbol.dispose]() {
      inputToken = before;
    },
  };
}

/** The token for GitHub: that of the action, else GITHUB_TOKEN; undefined without one. */
export function githubToken(environment: Variables = process.env): string | undefined {
  return inputToken || environment['GITHUB_TOKEN'] || undefined;
}

/** Whether a variable is one of those. */
export function isOfWorkflow(name: string): boolean {
  return OF_THE_WORKFLOW.test(name);
}

/** What tools and users of a machine are called, and the settings by which tools find packages, proxies and certificates. */
const FOR_BUILDS = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|TZ|LANG|LANGUAGE|TMPDIR|TMP|TEMP|CI|DEBIAN_FRONTEND|SOURCE_DATE_EPOCH)$/,
  /^(LC_|XDG_|WIREGAUGE_|GITHUB_(ACTIONS|SHA|REF|REPOSITORY|RUN_|SERVER_URL|API_URL|WORKSPACE|WORKFLOW|JOB)|RUNNER_|Image(OS|Version)$)/,
  /^(https?|ftp|all|no)_proxy$/i,
  /^(SSL_CERT_|CURL_CA_|REQUESTS_CA_|AWS_CA_|GIT_SSL_|PIP_|UV_|PYTHON|VIRTUAL_ENV$|POETRY_|PDM_|CONDA)/i,
  /^(NODE_|NPM_|YARN_|PNPM_|NVM_|COREPACK_|BUN_|DENO_|GO[A-Z]*$|GO_|CGO_|CARGO_|RUST)/i,
  /^(JAVA_|JDK_|MAVEN_|MVN_|M2_|GRADLE_|KOTLIN_|SDKMAN_|GRAALVM_|DOTNET_|NUGET_|MSBUILD|GEM_|BUNDLE_|RUBY|COMPOSER_|PHP_)/i,
  /^(CC|CXX|LD|AR|AS|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|LD_LIBRARY_PATH|PKG_CONFIG_PATH|CMAKE_.*|ANDROID_.*|SWIFT_.*)$/,
];

const LIKE_A_SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|AUTH|_KEY$|_PAT$/i;

/** The variable by which a workflow names those that its builds need besides. */
export const BUILD_VARIABLES = 'WIREGAUGE_BUILD_VARIABLES';

/** What a build gets of an environment, and the names of what it does not get. */
export interface EnvironmentOfBuild {
  readonly given: Variables;
  readonly withheld: readonly string[];
}

/**
 * The environment of a build of plain processes. In a workflow it has what tools need and what the workflow names, since a pull request says
 * what is built and any variable may be a secret; elsewhere it is the user's own.
 */
export function environmentOfBuild(environment: Variables): EnvironmentOfBuild {
  const own = Object.entries(withoutWorkflowVariables(environment));
  const named = new Set((environment[BUILD_VARIABLES] ?? '').split(/[\s,]+/));
  const isGiven = (name: string): boolean =>
    named.has(name) || (FOR_BUILDS.some((family) => family.test(name)) && !LIKE_A_SECRET.test(name));
  const isHeld = isInWorkflow({ ...environment });
  return {
    given: Object.fromEntries(own.filter(([name]) => !isHeld || isGiven(name))),
    withheld: isHeld ? own.flatMap(([name]) => (isGiven(name) ? [] : [name])) : [],
  };
}

/** How a builder reaches the cache of GitHub Actions. */
const OF_THE_CACHE = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL', 'ACTIONS_CACHE_URL', 'ACTIONS_CACHE_SERVICE_V2'];

/** The variables that lead to the cache of GitHub Actions; undefined if the runner offers none. */
export function cacheVariables(environment: Variables): Variables | undefined {
  const given = Object.fromEntries(
    OF_THE_CACHE.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  const hasAddress = 'ACTIONS_RESULTS_URL' in given || 'ACTIONS_CACHE_URL' in given;
  return 'ACTIONS_RUNTIME_TOKEN' in given && hasAddress ? given : undefined;
}
