/**
 * Whether a stream is to have colours: where it is a terminal that shows them. NO_COLOR says no, FORCE_COLOR says yes to anything but a
 * terminal as well, or no with 0; NO_COLOR has the last word, as in the help of the command line.
 */
export function showsColour(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = environment;
  if (no || force === '0' || force === 'false') {
    return false;
  }
  return force !== undefined || (stream.isTTY === true && terminal !== 'dumb');
}
