import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ComposeService } from '../read/compose.ts';
import { copiesFiles, stageText, workingFolder } from '../read/dockerfile.ts';
import { manifestIn } from '../read/manifests.ts';
import { exampleFile, settingsIn } from '../read/own-settings.ts';
import { fileIn } from '../read/places.ts';
import { type Source, sourceFolder } from '../read/sources.ts';
import { knownImage } from './known-images.ts';
import type { Manifest, Proposal, ProposedImage, ProposedProcess } from './proposal.ts';

const FPM = /\bphp[\w./:-]{0,100}fpm/i;

/** Programs in an image of php-fpm that answer HTTP. */
const ANSWERS_HTTP =
  /nginx|caddy|apache|supervis|s6-|frankenphp|roadrunner|octane|\bartisan\W{1,4}serve\b|\bphp\W{1,4}-S\b/i;

function textOf(build: ProposedImage | undefined, files: readonly RepositoryFile[]): string | undefined {
  const text = files.find(({ path }) => path === build?.dockerfile)?.text;
  return text && stageText(text, build?.target);
}

/** True if an image starts only php-fpm, which answers FastCGI. */
export function isFastCgi(service: Partial<ComposeService>, files: readonly RepositoryFile[]): boolean {
  const { image, build, command = [] } = service;
  const started = textOf(build, files) ?? image ?? '';
  const line = command.join(' ');
  return FPM.test(started) && !ANSWERS_HTTP.test(started) && (line === '' || FPM.test(line));
}

/** Command and port of PHP's own server instead of php-fpm; neither for any other service. */
export function ownServer(
  { image, compose }: Source,
  process: ProposedProcess | undefined,
  files: readonly RepositoryFile[],
): Pick<Proposal, 'leftOut'> & Partial<Pick<Proposal, 'port' | 'command'>> {
  const isMounted = image === undefined && compose?.sources !== undefined;
  if (!isMounted && !isFastCgi({ ...compose, build: image }, files)) {
    return { leftOut: [] };
  }
  const [, served] = /\bphp -S "\$HOST:\$PORT" (-t \S+ \S+)$/.exec(process?.command.at(-1) ?? '') ?? [];
  const instead =
    served === undefined
      ? 'set a `command` that answers HTTP, such as `php -S 0.0.0.0:8000 -t public`'
      : "PHP's own server is started instead. To measure php-fpm, write a compose file with nginx and an image that has the sources";
  return {
    leftOut: [{ name: 'php-fpm', why: `it answers FastCGI, not HTTP: ${instead}` }],
    ...(served !== undefined &&
      !isMounted && {
        port: { number: 8000, from: 'command' },
        command: ['php', '-S', '0.0.0.0:8000', ...served.split(' ')],
      }),
  };
}

/**
 * Services of a compose file, with nginx as the service for the sources of the php-fpm behind it. php-fpm whose sources are mounted for development
 * is started without its image.
 */
export function withFastCgi(
  all: readonly ComposeService[],
  files: readonly RepositoryFile[],
): readonly ComposeService[] {
  const servers = all.filter(({ image, build }) => {
    const [, base = image] = /^FROM[ \t]+(\S+)/im.exec(textOf(build, files) ?? '') ?? [];
    return /(?:^|\/)nginx(?:-unprivileged)?$/.test(knownImage(base ?? '').path);
  });
  const programs = all.filter((one) => isFastCgi(one, files));
  const changed = programs.flatMap((one) => {
    const named = servers.find(({ dependsOn }) => dependsOn.includes(one.name));
    return behind(named ?? (programs.length === 1 ? servers[0] : undefined), one, files);
  });
  return all.map((one) => changed.find(({ name }) => name === one.name) ?? one);
}

function behind(
  server: ComposeService | undefined,
  one: ComposeService,
  files: readonly RepositoryFile[],
): readonly ComposeService[] {
  const built = one.build && sourceFolder(one.build, files);
  const folders = [...Object.values(one.files), built ?? '', ''];
  const sources = folders.find((folder) => fileIn(files, folder, 'composer.json') !== undefined);
  const dockerfile = files.find(({ path }) => path === one.build?.dockerfile);
  const text = dockerfile?.text ?? '';
  const manifest = manifestIn({ folder: sources ?? '', files });
  if (sources !== undefined && (sources !== built || !copiesFiles(text.replace(/^.*--from=.*$/gm, '')))) {
    const example = settingsIn(exampleFile({ folder: sources, files }));
    const environment = { ...example, ...manifest?.environment, ...one.environment };
    const plain = { ...one, build: undefined, command: undefined, files: {}, ports: [], environment, sources };
    return [plain, ...[server ?? []].flat().map((other) => ({ ...other, build: undefined }))];
  }
  if (server === undefined || built === undefined) {
    return [];
  }
  const program = {
    ...one,
    ports: [...one.ports, 9000],
    user: /alpine/.test(text) ? '82:82' : '33:33',
    tmpfs: writtenIn(workingFolder(dockerfile) ?? '/var/www/html', manifest, one),
    environment: { ...manifest?.environment, ...one.environment },
  };
  return [program, inFront(server, one.name, sources ?? built)];
}

/** Folders that a program writes to in its image, whose file system is read-only. */
export function writtenIn(
  folder: string | undefined,
  manifest: Manifest | undefined,
  compose: Pick<ComposeService, 'tmpfs'> = { tmpfs: [] },
): readonly string[] {
  const own = folder === undefined ? [] : (manifest?.written ?? []).map((path) => `${folder}/${path}`);
  return [...new Set([...compose.tmpfs, ...own])];
}

/** nginx in front of php-fpm, started without privileges. */
function inFront(server: ComposeService, program: string, sources: string): ComposeService {
  const { image: reference, ports, dependsOn } = server;
  return {
    ...server,
    sources,
    build: server.build ?? { context: '.', dockerfile: '', reference },
    ports: [...ports, 80],
    user: '101:101',
    tmpfs: ['/var/cache/nginx', '/run'],
    dependsOn: [...new Set([...dependsOn, program])],
  };
}
