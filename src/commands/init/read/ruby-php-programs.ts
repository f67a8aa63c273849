import { contentOf, mapIn } from '../../../config/yaml/lines.ts';
import type { Manifest, ProposedProcess } from '../services/proposal.ts';
import { MADE_UP } from './own-settings.ts';
import { entering, fileIn, filesBelow, isPlainPath, pathBelow, type RepositoryFolder } from './places.ts';

/** Program described by a Gemfile or a config.ru; undefined if the folder has none that serves HTTP. */
export function rubyManifest(_: string, place: RepositoryFolder): Manifest | undefined {
  const { folder, files } = place;
  const gemfile = fileIn(files, folder, 'Gemfile')?.text;
  const isHanami = /^[\t ]*gem[ (]+["']hanami["']/m.test(gemfile ?? '');
  const isRails = !isHanami && fileIn(files, folder, 'config/routes.rb') !== undefined;
  const server = rubyServer(place, gemfile ?? '', isRails);
  if (server === undefined) {
    return undefined;
  }
  const at = folder === '' ? [] : ['--gemfile', `${folder}/Gemfile`];
  const assets = isRails ? assetBuild(folder, gemfile ?? '') : [];
  const build = gemfile === undefined ? [] : [['bundle', 'install', ...at], ...assets];
  const process = processIn(folder, build, `${gemfile === undefined ? '' : 'bundle exec '}${server}`);
  const usual = isHanami
    ? { httpPort: 2300, environment: { HANAMI_ENV: 'production', SESSION_SECRET: `${MADE_UP}-`.repeat(8) } }
    : { httpPort: 9292, environment: { RACK_ENV: 'production' } };
  const facts = isRails ? railsFacts(place) : usual;
  return { process, ...facts };
}

/** Sinatra files that are programs themselves. */
const PROGRAMS = ['app.rb', 'server.rb', 'main.rb'];

function rubyServer({ folder, files }: RepositoryFolder, gemfile: string, isRails: boolean): string | undefined {
  if (fileIn(files, folder, 'config.ru') === undefined) {
    const isServer = (name: string) => /^[\t ]*require ["']sinatra["']/m.test(fileIn(files, folder, name)?.text ?? '');
    const name = PROGRAMS.find(isServer);
    return name && `ruby ${name} -o "$HOST" -p "$PORT"`;
  }
  if (/^[\t ]*gem[ (]+["']puma["']/m.test(gemfile)) {
    return 'puma -b "tcp://$HOST:$PORT"';
  }
  return isRails ? 'rails server -b "$HOST" -p "$PORT"' : 'rackup -o "$HOST" -p "$PORT"';
}

/** In production, Rails redirects to HTTPS unless a header says that the client uses it. */
function railsFacts(place: RepositoryFolder) {
  const production = fileIn(place.files, place.folder, 'config/environments/production.rb')?.text ?? '';
  const isOn = (name: string) => new RegExp(`^[\\t ]*config\\.${name} = true`, 'm').test(production);
  const hasTables = filesBelow(place, /(?:^|\/)db\/(?:schema\.rb|migrate\/[^/]+\.rb)$/).length > 0;
  return {
    httpPort: 3000,
    environment: { RAILS_ENV: 'production', SECRET_KEY_BASE: MADE_UP },
    written: ['log', 'storage', 'tmp'],
    ...(isOn('force_ssl') && !isOn('assume_ssl') && { headers: { 'X-Forwarded-Proto': 'https' } }),
    ...(hasTables && { migration: 'bundle exec rails db:prepare' }),
  };
}

/** In production, pages need their compiled assets. */
function assetBuild(folder: string, gemfile: string): ProposedProcess['build'] {
  const hasAssets = /^[\t ]*gem[ (]+["'](?:sprockets-rails|propshaft)["']/m.test(gemfile);
  const settings = `RAILS_ENV=production SECRET_KEY_BASE=${MADE_UP}`;
  return hasAssets ? [['sh', '-c', `${entering(folder)}${settings} bundle exec rails assets:precompile`]] : [];
}

const FRAMEWORKS = {
  'laravel/framework': {
    // A key has 32 characters.
    environment: { APP_ENV: 'production', APP_DEBUG: 'false', APP_KEY: `${MADE_UP}-`.repeat(4), LOG_CHANNEL: 'stderr' },
    written: ['storage/framework/cache', 'storage/framework/sessions', 'storage/framework/views', 'storage/logs'],
    migration: 'php artisan migrate --force',
  },
  'symfony/framework-bundle': {
    environment: { APP_ENV: 'prod', APP_DEBUG: '0', APP_SECRET: MADE_UP },
    written: ['var'],
    migration: 'php bin/console doctrine:migrations:migrate --no-interaction',
  },
};

/** Folders with the file that handles all requests. */
const PUBLIC = ['public', 'web', '.'];

/** Program described by a composer.json; undefined if the folder has none that serves HTTP. */
export function phpManifest(text: string, place: RepositoryFolder): Manifest | undefined {
  const { folder, files } = place;
  const root = PUBLIC.find((name) => fileIn(files, folder, pathBelow(name, 'index.php') ?? '') !== undefined);
  if (root === undefined) {
    return undefined;
  }
  const found = mapIn(contentOf(text));
  const packages = Object.keys(mapIn(found['require']));
  const [, framework] = Object.entries(FRAMEWORKS).find(([name]) => packages.includes(name)) ?? [];
  // Composer then runs scripts that do not need development packages.
  const settings = framework === undefined ? [] : ['env', `APP_ENV=${framework.environment.APP_ENV}`];
  const at = folder === '' ? [] : ['--working-dir', folder];
  const install = [...settings, 'composer', 'install', '--no-dev', '--no-interaction', ...at];
  const isInstalled = found['autoload'] !== undefined || packages.some((name) => name.includes('/'));
  const isMigrated = filesBelow(place, /(?:^|\/)migrations\/[^/]+\.php$/).length > 0;
  const isApache = /^FROM[ \t]+php:\S*apache/im.test(fileIn(files, folder, 'Dockerfile')?.text ?? '');
  return {
    httpPort: isApache ? 80 : 8000,
    process: processIn(folder, isInstalled ? [install] : [], `php -S "$HOST:$PORT" -t ${root} ${root}/index.php`),
    ...framework,
    migration: isMigrated ? framework?.migration : undefined,
  };
}

/** Undefined if the folder cannot be part of a shell line. */
function processIn(folder: string, build: ProposedProcess['build'], line: string): ProposedProcess | undefined {
  return isPlainPath(folder) ? { build, command: ['sh', '-c', `${entering(folder)}exec ${line}`] } : undefined;
}
