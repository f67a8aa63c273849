import type { Need } from '../../src/model/service.ts';
import { pythonServer } from './python-server.ts';

/** Answers with its environment and its pid, and leaves a file where DATA says so. */
export const STORE = pythonServer(
  "{**os.environ, 'pid': str(os.getpid())}",
  `if 'DATA' in os.environ:
    pathlib.Path(os.environ['DATA'], 'made').write_text(','.join(os.listdir(os.environ['DATA'])))`,
);

/** Something that a service needs, which runs a Python text. */
export function pythonNeed(source: string, changes: Partial<Need> = {}): Need {
  return {
    name: 'db',
    image: undefined,
    process: { build: [], command: ['python3', '-c', source] },
    port: 5432,
    environment: {},
    ready: { check: { kind: 'usual' }, timeoutSeconds: 20 },
    needs: [],
    fresh: 'slot',
    ...changes,
  };
}
