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

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
