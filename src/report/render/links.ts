/** Longer addresses are not linked: they would take the room of what the comment says. */
const MOST_ADDRESS = 500;

/** Only tests and a server of one's own have addresses without encryption. */
const PLAIN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * A Markdown link, or undefined if the address is none that a reader should be sent to: not https (http for this machine
 * only), with a user name or password in it, or longer than 500 characters. The words must be escaped already.
 */
export function markdownLink(words: string, address: string | undefined): string | undefined {
  if (address === undefined || address.length > MOST_ADDRESS || !URL.canParse(address)) {
    return undefined;
  }
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && PLAIN_HOSTS.has(url.hostname));
  const isBare = url.username === '' && url.password === '' && !url.hostname.startsWith('[');
  return isSafe && isBare ? `[${words}](${withoutMarkup(url.href)})` : undefined;
}

/** A parsed address is ASCII, but may hold brackets, dollars and stars, which Markdown or its renderers read. */
function withoutMarkup(href: string): string {
  return href
    .replace(/[^A-Za-z0-9\-._~:/?#@!&+,;=%]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
}
