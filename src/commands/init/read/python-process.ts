import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { ProposedProcess } from '../services/proposal.ts';
import { argumentsOf } from './dockerfile.ts';
import { usesSqlite } from './own-settings.ts';
import {
  baseName,
  entering,
  fileIn,
  filesBelow,
  folderOf,
  isBelow,
  isPlainPath,
  nearest,
  prefixOf,
  type RepositoryFolder,
  textsBelow,
} from './places.ts';
import { fixedPort } from './ports.ts';

/** Usual modules of a web framework's application. */
const MODULES = ['main', 'app', 'server', 'app/main', 'src/main', 'app/app', 'main/__init__', 'app/__init__'];

/** Calls that create an application; the imports of the sources show the framework. */
const MAKERS: readonly (readonly [RegExp, 'fastapi' | 'flask' | undefined])[] = [
  [/^(\w+)\s*(?::\s*\w+\s*)?=\s*(?:fastapi\.)?FastAPI\(/m, 'fastapi'],
  [/^(\w+)\s*(?::\s*\w+\s*)?=\s*(?:flask\.)?Flask\(/m, 'flask'],
  [/^(\w+)\s*(?::\s*\w+\s*)?=\s*(?:get|create|make|build)_(?:app|application|fastapi)\w*\(/m, undefined],
];

/** Commands that start an application, by framework; PORT is in the environment. */
const STARTS = {
  fastapi: (application: string) => `python3 -m uvicorn ${application} --host "$HOST" --port "$PORT"`,
  // Flask supports the flag for the application since 2.2.
  flask: (application: string) => `env FLASK_APP=${application} python3 -m flask run --host "$HOST" --port "$PORT"`,
  django: 'python3 manage.py runserver --noreload "$HOST:$PORT"',
};

/** Build and start of the application in a folder; undefined if none of the usual files has one. */
export function pythonProcess(place: RepositoryFolder): ProposedProcess | undefined {
  const { folder } = place;
  // The folder becomes part of a shell line.
  if (!isPlainPath(folder)) {
    return undefined;
  }
  const build = installs(place);
  const own = venvOf(place) === VENV ? '' : `export PATH="$PWD/${VENV}/bin:$PATH" && `;
  const enter = entering(folder) && `${entering(folder)}${own}`;
  const web = fileIn(place.files, folder, 'Procfile')
    ?.text.match(/^web:[\t ]*(.+)$/m)?.[1]
    ?.trim();
  if (web !== undefined) {
    const command = ['sh', '-c', `${enter}${web.includes('&&') ? '' : 'exec '}${web}`];
    return { build: withServer(build, web, place), command };
  }
  const start = startIn(place);
  if (start === undefined) {
    return undefined;
  }
  return {
    build: [...build, ...stubs(place)],
    command: ['sh', '-c', `${enter}exec ${start}`],
    port: start.includes('$PORT') ? undefined : fixedPort(textsBelow(place, /\.py$/)),
  };
}

/** Tools that create the tables of a new database: their settings, and their command. */
const MIGRATIONS = [
  ['pyproject.toml', /^\[tool\.aerich\]/m, 'aerich upgrade'],
  ['alembic.ini', /^script_location/m, 'alembic upgrade head'],
] as const;

/** Lines that already create the tables. */
export const MIGRATING = /\b(?:alembic|aerich|migrate|db:\w+)\b/;

/** Step that creates the tables of a database, which is new at each start; undefined if none is known. */
export function migrationStep(place: RepositoryFolder): string | undefined {
  if (isDjango(place)) {
    return usesSqlite(filesBelow(place)) ? 'python3 manage.py migrate --noinput' : undefined;
  }
  const installed = textsBelow(place, PACKAGE_LIST);
  const [, , command] =
    MIGRATIONS.find(
      ([name, sign, tool]) =>
        sign.test(fileIn(place.files, place.folder, name)?.text ?? '') &&
        installed.some((text) => new RegExp(`^[\\s"']*${tool.split(' ')[0]}\\b`, 'm').test(text)),
    ) ?? [];
  return command;
}

const PACKAGE_LIST =
  /(?:^|\/)(?:[\w-]{0,40}requirements[\w.-]{0,40}|requirements\/[\w.-]{1,60}|pyproject\.toml|setup\.(?:py|cfg))$/;

/** Build that also installs the server named in a line, unless a list of packages has it. */
function withServer(build: ProposedProcess['build'], line: string, place: RepositoryFolder): ProposedProcess['build'] {
  const server = /^(?:gunicorn|uvicorn|hypercorn|daphne|waitress)\b/.exec(line)?.[0];
  const install = build.at(-1)?.slice(0, 5) ?? [];
  const isListed = server === undefined || textsBelow(place, PACKAGE_LIST).some((text) => text.includes(server));
  return isListed || install.slice(0, 3).join(' ') !== 'uv pip install' ? build : [...build, [...install, server]];
}

function stubs({ folder, files }: RepositoryFolder): ProposedProcess['build'] {
  const dockerfile = folder === '' ? fileIn(files, '', 'Dockerfile')?.text : undefined;
  return argumentsOf(dockerfile ?? '', 'RUN')
    .filter((line) => /^python3? -m grpc_tools\.protoc /.test(line))
    .map((line) => line.trim().split(/\s+/).slice(1))
    .filter((words) => words.every((word) => /^[\w.=-][\w./=-]*$/.test(word) && !/(?:^-I|=)\/|\.\.\//.test(word)))
    .map((words) => ['python3', ...words]);
}

function isDjango({ folder, files }: RepositoryFolder): boolean {
  return fileIn(files, folder, 'manage.py')?.text.includes('django') === true;
}

/** Virtual environment that uv creates for plain processes. */
const VENV = '.wiregauge/venv';

/** Services in several folders, each with a list of packages, may need different versions: each gets its own environment. */
function venvOf({ folder, files }: RepositoryFolder): string {
  const lists = files.filter(({ path }) => baseName(path) === 'requirements.txt');
  const isAlone = folder === '' || lists.every(({ path }) => folderOf(path) === folder);
  return isAlone || fileIn(files, '', 'uv.lock') !== undefined ? VENV : `${folder}/${VENV}`;
}

/** Commands that install its packages: from uv's lock file in the root, else from the list in the folder. */
function installs(place: RepositoryFolder): ProposedProcess['build'] {
  const { folder, files } = place;
  const venv = venvOf(place);
  if (fileIn(files, '', 'uv.lock') !== undefined) {
    return [['uv', 'sync', '--frozen']];
  }
  if (/^\[tool\.poetry\]/m.test(fileIn(files, folder, 'pyproject.toml')?.text ?? '')) {
    const at = folder === '' ? '' : ` --directory ${folder}`;
    return [
      ['uv', 'venv', '--allow-existing', venv],
      ['uv', 'pip', 'install', '--python', venv, 'poetry'],
      ['sh', '-c', `VIRTUAL_ENV="$PWD/${venv}" exec ${venv}/bin/poetry install --no-root --no-interaction${at}`],
    ];
  }
  const lists = ['requirements.txt', 'requirements/prod.txt', 'requirements/base.txt'];
  const hasProject = /^\[project\]/m.test(fileIn(files, folder, 'pyproject.toml')?.text ?? '');
  const list =
    lists.find((name) => fileIn(files, folder, name) !== undefined) ??
    (hasProject ? 'pyproject.toml' : fileIn(files, folder, 'setup.py') && 'setup.py');
  return list === undefined
    ? []
    : [
        ['uv', 'venv', '--allow-existing', venv],
        ['uv', 'pip', 'install', '--python', venv, '--requirement', `${prefixOf(folder)}${list}`],
      ];
}

/** Start of the server of Django, else of the first module that has an application. */
function startIn({ folder, files }: RepositoryFolder): string | undefined {
  if (isDjango({ folder, files })) {
    return STARTS.django;
  }
  const usual = MODULES.flatMap((module) => fileIn(files, folder, `${module}.py`) ?? []);
  const others = nearest(files, folder).filter(({ path }) => /^[\w/.-]+\.py$/.test(path) && isBelow(path, folder));
  const usesFastApi = files.some((one) => /\bFastAPI\(/.test(one.text));
  const programs = [...usual, ...others].map(({ path, text }) => ({ path: path.slice(prefixOf(folder).length), text }));
  return (
    programs.map((one) => applicationIn(one, usesFastApi)).find((start) => start !== undefined) ??
    programs.map(grpcProgramIn).find((start) => start !== undefined)
  );
}

/** Start of a module that serves gRPC when it is run, with its port flag if it has one. */
function grpcProgramIn({ path, text }: RepositoryFile): string | undefined {
  const isProgram = /\bgrpc(?:\.aio)?\.server\(|\baio\.server\(/.test(text) && text.includes('__main__');
  const flag = /add_argument\([^)\n]{0,40}['"](--port)['"]/.exec(text)?.[1];
  return isProgram ? `python3 ${path}${flag === undefined ? '' : ` ${flag} "$PORT"`}` : undefined;
}

function applicationIn({ path, text }: RepositoryFile, usesFastApi: boolean): string | undefined {
  const module = path
    .slice(0, -'.py'.length)
    .replace(/\/__init__$/, '')
    .replaceAll('/', '.');
  for (const [pattern, framework] of MAKERS) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && /^[\w.]+$/.test(module)) {
      return STARTS[framework ?? (usesFastApi ? 'fastapi' : 'flask')](`${module}:${name}`);
    }
  }
  return undefined;
}
