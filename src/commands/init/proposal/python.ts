import { fileIn, type RepositoryFolder } from './places.ts';
import type { ProposedProcess } from './proposal.ts';

/** Where the application of a web framework usually stands. */
const MODULES = ['main', 'app', 'server', 'app/main', 'src/main', 'app/app'];

/** How each framework's application is started; PORT is in the environment. */
const STARTS: readonly (readonly [RegExp, (module: string, name: string) => string])[] = [
  [
    /^(\w+)\s*(?::\s*\w+\s*)?=\s*(?:fastapi\.)?FastAPI\(/m,
    (module, name) => `uvicorn ${module}:${name} --host "$HOST" --port "$PORT"`,
  ],
  [
    /^(\w+)\s*(?::\s*\w+\s*)?=\s*(?:flask\.)?Flask\(/m,
    (module, name) => `flask --app ${module}:${name} run --host "$HOST" --port "$PORT"`,
  ],
];

/** How the application in a folder is built and started; undefined where none of the usual files has one. */
export function pythonProcess(place: RepositoryFolder): ProposedProcess | undefined {
  const { folder, files } = place;
  // It becomes a part of a shell's line.
  if (!/^[\w./-]*$/.test(folder) || folder.startsWith('-')) {
    return undefined;
  }
  const start = startIn(place);
  const enter = folder === '' ? '' : `cd ${folder} && `;
  // The environment of a plain process is made of the lock file in the repository's root.
  const build = fileIn(files, '', 'uv.lock') === undefined ? [] : [['uv', 'sync', '--frozen']];
  return start === undefined ? undefined : { build, command: ['sh', '-c', `${enter}exec python3 -m ${start}`] };
}

function startIn({ folder, files }: RepositoryFolder): string | undefined {
  for (const module of MODULES) {
    const text = fileIn(files, folder, `${module}.py`)?.text ?? '';
    for (const [pattern, start] of STARTS) {
      const name = pattern.exec(text)?.[1];
      if (name !== undefined) {
        return start(module.replaceAll('/', '.'), name);
      }
    }
  }
  return undefined;
}
