/** Names of variables that a program may take its port from, or the address that it listens on. */
const PORTS = /^(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN|REST|NODE)_?PORT$/;
const ADDRESSES = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN)_?)?(?:ADDR|ADDRESS|LISTEN|BIND)$/;

const READ = [/(?:Getenv|LookupEnv)\(\s*"(\w+)"/g, /\bprocess\.env(?:\.(\w+)|\[['"](\w+)['"]\])/g];

/** Variables of ports beside that of the service, which have a default: any free port will do for those. */
const BESIDE = /\bprocess\.env\.((?:HTTPS|TLS|SSL|METRICS)_PORT)\s*(?:\|\||\?\?)\s*['"]?\d/g;

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
    const host = port.replace(/PORT$/, 'HOST');
    const others = new Set(sources.flatMap((text) => [...text.matchAll(BESIDE)].map(([, name = '']) => `${name}=0 `)));
    return `${port}="$PORT" ${names.has(host) ? `${host}="$HOST" ` : ''}${[...others].join('')}`;
  }
  return address === undefined ? '' : `${address}="$HOST:$PORT" `;
}
