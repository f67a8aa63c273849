const OURS = /\$\{?(HOST|PORT|DATA)\b/;
const READERS = /(^|\/)((ba|da|a|z|k)?sh|env|envsubst)$/;

/**
 * What to do about a command that names HOST, PORT or DATA as a shell would read it, but has no shell to read it: a sentence;
 * undefined where all is well.
 */
export function unreadVariable(command: readonly string[]): string | undefined {
  const [found] = command.join(' ').match(OURS) ?? [];
  if (found === undefined || command.some((word) => READERS.test(word))) {
    return undefined;
  }
  const name = found.replace(/\W/g, '');
  return `No shell reads the command, so that $${name} stays as it is in it; let one: [sh, -c, 'exec ${command.join(' ')}'].`;
}
