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
