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
