import { isBelow } from './places.ts';

/** Folder of the image with scripts that fill a new database. */
const SCRIPTS = '/docker-entrypoint-initdb.d';

/** A server refuses to be root, and is the user postgres then. That user may not be allowed where the folder is. */
const SERVER = [
  'root=$PWD',
  'PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)"',
  'cd "$DATA"',
  'if [ "$(id -u)" = 0 ]; then chown postgres . ..; set -- setpriv --reuid postgres --regid postgres --init-groups; fi',
  '"$@" initdb -D . -U "${POSTGRES_USER:-postgres}" -A trust >/dev/null',
];

/** A server that only this script reaches, while the database is filled. */
const FILLING = [
  '"$@" pg_ctl -D . -w -o "-k $PWD -h \'\'" start >/dev/null',
  'run() { psql -q -h "$PWD" -U "${POSTGRES_USER:-postgres}" "$@" >/dev/null; }',
  'db=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}',
  '[ "$db" = postgres ] || run -d postgres -c "CREATE DATABASE \\"$db\\""',
];

const END = ['"$@" pg_ctl -D . -w stop >/dev/null', 'exec "$@" postgres -D . -h "$HOST" -p "$PORT" -k "" -c fsync=off'];

/** The script of a shell that starts an empty PostgreSQL as the image does: with its user, its database and the SQL files mounted for it. */
export function postgresScript(files: Readonly<Record<string, string>>): string {
  const scripts = Object.entries(files)
    .filter(([target, path]) => isBelow(`${target}/`, SCRIPTS) && /^[\w./-]+$/.test(path))
    .map(([target, path]) => (/\.\w+$/.test(target.slice(SCRIPTS.length)) ? path : `${path}/*.sql`))
    .filter((path) => path.endsWith('.sql'))
    .map((path) => `"$root"/${path}`);
  const filled = scripts.length === 0 ? [] : [`for file in ${scripts.join(' ')}; do run -d "$db" -f "$file"; done`];
  return ['set -e', ...SERVER, ...FILLING, ...filled, ...END].join('\n');
}
