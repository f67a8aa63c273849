/** Whether this program runs in a workflow of GitHub Actions, whose log takes commands. */
export function isInWorkflow(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}

/** A line that the log takes for a command: a group, its end, or a warning or an error with a title. */
export function workflowCommand(name: 'group' | 'endgroup' | 'warning' | 'error', text = '', title?: string): string {
  const properties =
    title === undefined ? '' : ` title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}`;
  return `::${name}${properties}::${escaped(text)}\n`;
}

/**
 * A text from outside as the log of a workflow may hold it, where nothing in it is taken for a command, in neither of the two forms that a
 * runner knows. Elsewhere it stays as it is.
 */
export function withoutCommands(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  return isInWorkflow(environment)
    ? text.replaceAll('##[', '# #[').replace(/^[^\p{L}\p{N}\n\r]*::/gmu, (start) => start.replace(/:(?=:)/g, ': '))
    : text;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What a workflow hands to its steps and neither a build of a pull request nor anything that it starts has any business with. */
const OF_THE_WORKFLOW = /^(INPUT_|STATE_|ACTIONS_|GITHUB_TOKEN$|GH_TOKEN$)/;

/** The environment without the tokens and inputs that a step of a workflow has. */
export function withoutWorkflowVariables(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfWorkflow(name)));
}

/** Whether a variable is one of those tokens and inputs. */
export function isOfWorkflow(name: string): boolean {
  return OF_THE_WORKFLOW.test(name);
}

/** How a builder reaches the cache of GitHub Actions. */
const OF_THE_CACHE = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL', 'ACTIONS_CACHE_URL', 'ACTIONS_CACHE_SERVICE_V2'];

/** The variables that lead to the cache of GitHub Actions; undefined where the runner offers none. */
export function cacheVariables(environment: Variables): Variables | undefined {
  const given = Object.fromEntries(
    OF_THE_CACHE.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  const hasAddress = 'ACTIONS_RESULTS_URL' in given || 'ACTIONS_CACHE_URL' in given;
  return 'ACTIONS_RUNTIME_TOKEN' in given && hasAddress ? given : undefined;
}
