import { terminalText } from '../foundation/text.ts';

/** True if this program runs in a workflow of GitHub Actions, whose log interprets commands. */
export function isInWorkflow(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}

export interface WorkflowCommand {
  readonly name: 'group' | 'endgroup' | 'notice' | 'warning' | 'error';
  readonly text?: string;
  readonly title?: string;
  /** File at which GitHub shows it. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

/** Line with a workflow command: a group, its end, or an annotation. Its texts cannot control a terminal. */
export function workflowCommand({ name, text = '', title, path, line }: WorkflowCommand): string {
  const properties = Object.entries({ title, file: path, line }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${name}${properties.length === 0 ? '' : ` ${properties.join(',')}`}::${escaped(text)}\n`;
}

/** Text without workflow commands in either of the two forms that a runner interprets. */
export function withoutCommands(text: string): string {
  return text
    .replaceAll('##[', '# #[')
    .replace(/^[^\p{L}\p{N}\n\r]*::/gmu, (start) => start.replace(/:{2,}/g, (row) => row.split('').join(' ')));
}

function escaped(text: string): string {
  const plain = terminalText(text).replaceAll('##[', '# #[');
  return plain.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables of workflow steps that neither builds of a pull request nor started programs may get. */
const OF_THE_WORKFLOW = /^(INPUT_|STATE_|ACTIONS_|(GITHUB|GH)_TOKEN$|GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)$)/;

export function withoutWorkflowVariables(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfWorkflow(name)));
}

/** Environment of a started program, without inherited tokens, inputs and command files of a workflow. */
export function childEnvironment(given: Variables, own: Variables = process.env): Record<string, string> {
  const isInherited = (name: string, value: string) => isInWorkflow(own) && isOfWorkflow(name) && value === own[name];
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === undefined || isInherited(name, value) ? [] : [[name, value] as const],
    ),
  );
}

let inputToken: string | undefined;

/** Stores the token of the action for `githubToken` until it is disposed of; started programs never get it. */
export function keepToken(token: string | undefined): Disposable {
  const before = inputToken;
  inputToken = token;
  return {
    [Symbol.dispose]() {
      inputToken = before;
    },
  };
}

/** Token for GitHub: that of the action, or GITHUB_TOKEN; undefined without one. */
export function githubToken(environment: Variables = process.env): string | undefined {
  return inputToken || environment['GITHUB_TOKEN'] || undefined;
}

export function isOfWorkflow(name: string): boolean {
  return OF_THE_WORKFLOW.test(name);
}

/** Variables of users and the system, and those with which tools find packages, proxies and certificates. */
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

/** Variable with which a workflow lists further variables for its builds. */
export const BUILD_VARIABLES = 'WIREGAUGE_BUILD_VARIABLES';

/** Environment of a build of plain processes: in a workflow, only variables of tools and those that the workflow lists. */
export function environmentOfBuild(environment: Variables) {
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

const OF_THE_CACHE = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL', 'ACTIONS_CACHE_URL', 'ACTIONS_CACHE_SERVICE_V2'];

export function cacheVariables(environment: Variables): Variables | undefined {
  const given = Object.fromEntries(
    OF_THE_CACHE.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  const hasAddress = 'ACTIONS_RESULTS_URL' in given || 'ACTIONS_CACHE_URL' in given;
  return 'ACTIONS_RUNTIME_TOKEN' in given && hasAddress ? given : undefined;
}
