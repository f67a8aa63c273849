import { textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ComposeService } from '../read/compose.ts';
import { imageSettings, productionStage } from '../read/dockerfile.ts';
import { isManifest, manifestIn } from '../read/manifests.ts';
import { scriptsIn } from '../read/node-program.ts';
import { filesBelow, type RepositoryFolder } from '../read/places.ts';
import { namesIn } from '../read/ports.ts';
import { imageCommand } from '../read/shared-image.ts';
import { sourceFolder } from '../read/sources.ts';
import type { Environment, LeftOutService, Proposal, ProposedImage } from './proposal.ts';

/** Modes for production of programs that need no other settings for it. */
const PRODUCTION: readonly (readonly [RegExp, string])[] = [
  [/^(?:NODE|RACK|FLASK)_ENV$/, 'production'],
  [/^FLASK_DEBUG$/, '0'],
  [/^APP_DEBUG$/, 'false'],
];
const MODES =
  /^(?:(?:NODE|RACK|FLASK|APP|RAILS|HANAMI|MIX)_ENV|(?:DJANGO_|FLASK_|APP_)?DEBUG|DJANGO_SETTINGS_MODULE|ASPNETCORE_ENVIRONMENT)$/;

/** Modes that are development by default. */
const BY_DEFAULT = /^(?:RAILS|RACK|HANAMI)_ENV$/;

const DEVELOPMENT = /^(?:[\w.]+\.)?(?:dev(?:elopment)?|local|1|true|on|yes)$/i;

/** Environment for production, as far as it is known, with the settings that its framework requires. Rails has another database in each mode, unless a variable names it. */
export function productionSettings(
  name: string,
  environment: Environment,
  image: Environment,
  usual: Environment = {},
): Pick<Proposal, 'environment' | 'leftOut'> {
  const modes = Object.keys(usual).filter((key) => BY_DEFAULT.test(key));
  const all = { ...Object.fromEntries(modes.map((key) => [key, 'development'])), ...image, ...environment };
  const isKept = 'RAILS_ENV' in usual && !('DATABASE_URL' in environment);
  const found = Object.entries(all).flatMap(([key, value]) => {
    const ofImage = DEVELOPMENT.test(image[key] ?? 'dev') ? undefined : image[key];
    const known = usual[key] ?? PRODUCTION.find(([pattern]) => pattern.test(key))?.[1];
    const isFound = MODES.test(key) && DEVELOPMENT.test(value);
    return isFound ? [{ key, sign: `${key}=${value}`, to: ofImage ?? (isKept ? undefined : known) }] : [];
  });
  const changed = found.flatMap(({ key, to }) => (to === undefined ? [] : [[key, to] as const]));
  const added = changed.some(([key]) => key in usual) ? usual : {};
  return {
    environment: { ...added, ...environment, ...Object.fromEntries(changed) },
    leftOut: found.map(({ key, sign, to }) =>
      to === undefined
        ? developmentMode(name, sign, `set \`${key}\` in \`environment\``)
        : { name: `${sign} of ${name}`, why: `it is for development: ${key}=${to} is set instead` },
    ),
  };
}

function developmentMode(name: string, sign: string, change: string): LeftOutService {
  return {
    name: `${name}: production mode`,
    why: `\`${sign}\` is for development, and slower than in production: ${change}`,
  };
}

/** Programs that reload changed sources, and options for that. */
const FOR_DEVELOPERS =
  /\b(?:nodemon|ts-node-dev|tsx watch|cargo[ -]watch|watchfiles|dotnet watch|manage\.py runserver|flask .{0,200}--debug)\b|\b(?:npm|yarn|pnpm|bun)(?: run)? (?:start:|serve:)?dev\b|\b(?:next|nuxt|astro|vite|remix) dev\b| --(?:watch|reload)\b/;

function isForDevelopers(line: string, place: RepositoryFolder): boolean {
  const [, script = ''] = /^(?:npm|yarn|pnpm)(?: run)? ([\w:-]+)$/.exec(line) ?? [];
  return [line, textIn(scriptsIn(place)[script]) ?? ''].some((one) => FOR_DEVELOPERS.test(one));
}

/** Remark about the command of an image that is for development. */
export function developmentCommand(name: string, image: ProposedImage | undefined, place: RepositoryFolder) {
  const line = imageCommand(place.files, image).join(' ');
  return isForDevelopers(line, place)
    ? [developmentMode(name, line, 'change it in the Dockerfile, or set `command`')]
    : [];
}

/** Service of a compose file in production, as far as the repository shows how. */
export function inProduction(service: ComposeService, files: readonly RepositoryFile[]): ComposeService {
  const { name, build: written, sources = written && sourceFolder(written, files), command } = service;
  if (sources === undefined) {
    return service;
  }
  const dockerfile = files.find(({ path }) => path === written?.dockerfile);
  const build = written && { ...written, target: productionStage(dockerfile?.text ?? '', written.target) };
  const place = { folder: sources, files };
  const usual = manifestIn(place)?.environment;
  const settings = productionSettings(name, service.environment, imageSettings(dockerfile, build?.target), usual);
  const own = developmentCommand(name, build, place);
  const line = command?.join(' ') ?? '';
  const isDevelopment = isForDevelopers(line, place);
  const isReplaced = isDevelopment && own.length === 0 && imageCommand(files, build).length > 0;
  const instead = (what: string, by: string) => [
    { name: `${what} of ${name}`, why: `it is for development: ${by} instead` },
  ];
  return {
    ...service,
    build,
    command: isReplaced ? undefined : command,
    environment: settings.environment,
    leftOut: [
      ...service.leftOut,
      ...(build?.target === written?.target ? [] : instead(`target ${written?.target}`, `${build?.target} is built`)),
      ...(isReplaced ? instead(`command ${line}`, 'that of the image is started') : []),
      ...(command === undefined ? own : []),
      ...(isDevelopment && !isReplaced ? [developmentMode(name, line, 'change `command`')] : []),
      ...settings.leftOut,
    ],
  };
}

const LIMITING = /RATE_?LIMIT|THROTTL/i;

const LIMITERS =
  /express-rate-limit|rate-limiter-flexible|@fastify\/rate-limit|@nestjs\/throttler|koa-ratelimit|flask[-_]limiter|slowapi|fastapi-limiter|django-ratelimit|bucket4j|go-chi\/httprate|didip\/tollbooth|ulule\/limiter|tower_governor|actix-governor|rack-attack/i;

const LIMITED_SOURCES =
  /\bDEFAULT_THROTTLE_RATES\b|\bAddRateLimiter\(|\bthrottleApi\(|\bThrottleRequests::class\.|['"]throttle:\w+/;

/** Rate limit that a service seems to have, with the variables that set it: under load it would answer with 429. */
export function rateLimits(name: string, place: RepositoryFolder, environment: Environment): readonly LeftOutService[] {
  const own = filesBelow(place);
  const read = namesIn(own.map(({ text }) => text));
  const variables = [...new Set([...Object.keys(environment), ...read])].filter((one) => LIMITING.test(one));
  const texts = own.map(({ path, text }) => (isManifest(path) ? LIMITERS : LIMITED_SOURCES).exec(text)?.[0]);
  const found = texts.find((one) => one !== undefined);
  const otherwise = 'or most responses are 429';
  const why =
    variables.length === 0
      ? `${found?.replace('(', '')} is used: turn it off for the measurement, ${otherwise}`
      : `set ${variables.slice(0, 3).join(', ')} in \`environment\` so that it does not limit the load, ${otherwise}`;
  return variables.length === 0 && found === undefined ? [] : [{ name: `${name}: rate limit`, why }];
}
