import { contentOf, mapIn, textIn } from '../../../config/yaml/lines.ts';
import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ComposeService } from '../read/compose.ts';
import { imageSettings, productionStage } from '../read/dockerfile.ts';
import { manifestIn } from '../read/manifests.ts';
import { fileIn, type RepositoryFolder } from '../read/places.ts';
import { imageCommand } from '../read/shared-image.ts';
import { sourceFolder } from '../read/sources.ts';
import type { LeftOutService, Proposal, ProposedImage } from './proposal.ts';

type Environment = Proposal['environment'];

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
  return { name: `${name}: production mode`, why: `\`${sign}\` is for development, and so are the figures: ${change}` };
}

/** Programs that reload changed sources, and options for that. */
const FOR_DEVELOPERS =
  /\b(?:nodemon|ts-node-dev|tsx watch|cargo[ -]watch|watchfiles|dotnet watch|manage\.py runserver|flask .{0,200}--debug)\b|\b(?:npm|yarn|pnpm|bun)(?: run)? (?:start:|serve:)?dev\b|\b(?:next|nuxt|astro|vite|remix) dev\b| --(?:watch|reload)\b/;

function isForDevelopers(line: string, { folder, files }: RepositoryFolder): boolean {
  const scripts = mapIn(mapIn(contentOf(fileIn(files, folder, 'package.json')?.text ?? ''))['scripts']);
  const [, script = ''] = /^(?:npm|yarn|pnpm)(?: run)? ([\w:-]+)$/.exec(line) ?? [];
  return [line, textIn(scripts[script]) ?? ''].some((one) => FOR_DEVELOPERS.test(one));
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
