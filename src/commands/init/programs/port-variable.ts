import { portFrom } from '../proposal/places.ts';

/** Names of variables that a program may take its port from, or the address that it listens on. */
const PORTS = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN|REST|NODE|FLASK|BACKEND)_?)+PORT$/;
const ADDRESSES = /^(?:(?:HTTP|SERVER|APP|API|SERVICE|WEB|LISTEN)_?)*(?:ADDR|ADDRESS|LISTEN|BIND)$/;

/** Of ASP.NET: addresses such as `http://+:8000`, and ports. */
const OF_DOTNET = /^ASPNETCORE_(?:URLS|HTTP_PORTS)$/;

/** The port that an environment gives a program to listen on, whatever the variable is called; undefined if it gives none. */
export function portIn(environment: Readonly<Record<string, string>>): number | undefined {
  const found = Object.entries(environment).flatMap(([name, value]) => {
    const isPort = name === 'PORT' || PORTS.test(name) || ADDRESSES.test(name) || OF_DOTNET.test(name);
    return (isPort && portFrom(/(?:^|:)(\d{2,5})\b/.exec(value)?.[1])) || [];
  });
  return found[0];
}

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
