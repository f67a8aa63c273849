/** Names of variables that a program may take its port from, or the address that it listens on. */
const PORTS = /^(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN|REST|NODE)_?PORT$/;
const ADDRESSES = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN)_?)?(?:ADDR|ADDRESS|LISTEN|BIND)$/;

const READ = [/(?:Getenv|LookupEnv)\(\s*"(\w+)"/g, /\bprocess\.env(?:\.(\w+)|\[['"](\w+)['"]\])/g];

/** What a shell puts before the command of a program that reads another variable than PORT; empty if it reads PORT, or none that is known. */
export function portVariable(sources: readonly string[]): string {
  const names = new Set(
    sources.flatMap((text) => READ.flatMap((pattern) => [...text.matchAll(pattern)].map(([, one, two]) => one ?? two))),
  );
  if (names.has('PORT')) {
    return '';
  }
  const [port, address] = [PORTS, ADDRESSES].map((known) =>
    [...names].find((name) => name !== undefined && known.test(name)),
  );
  if (port !== undefined) {
    return `${port}="$PORT" `;
  }
  return address === undefined ? '' : `${address}="$HOST:$PORT" `;
}
