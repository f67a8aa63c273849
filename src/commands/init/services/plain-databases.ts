import { shellWord } from '../../../foundation/text.ts';
import { isBelow } from '../read/places.ts';

type Files = Readonly<Record<string, string>>;

/** A server that refuses to run as root runs as another user, who may not have access to the folder. */
const ENTER = ['set -e', 'root=$PWD', 'cd "$DATA"'];

/** Shell script that starts an empty PostgreSQL as the image does: with its user, its database and the mounted SQL files. */
export function postgresScript(files: Files): string {
  return [
    ...ENTER,
    'PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)"',
    'if [ "$(id -u)" = 0 ]; then chown postgres . ..; set -- setpriv --reuid postgres --regid postgres --init-groups; fi',
    '"$@" initdb -D . -U "${POSTGRES_USER:-postgres}" -A trust >/dev/null',
    '"$@" pg_ctl -D . -w -o "-k $PWD -h \'\'" start >/dev/null',
    'run() { psql -q -h "$PWD" -U "${POSTGRES_USER:-postgres}" "$@" >/dev/null; }',
    'db=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}',
    '[ "$db" = postgres ] || run -d postgres -c "CREATE DATABASE \\"$db\\""',
    ...eachFile(files, 'run -d "$db" -f "$file"'),
    '"$@" pg_ctl -D . -w stop >/dev/null',
    'exec "$@" postgres -D . -h "$HOST" -p "$PORT" -k "" -c fsync=off',
  ].join('\n');
}

/** The same for MySQL and MariaDB, which can replace each other. */
export function mysqlScript(files: Files): string {
  return [
    ...ENTER,
    'PATH="$PATH:/usr/sbin"',
    'user=$(id -un)',
    'if [ "$user" = root ]; then user=mysql; chown mysql . ..; fi',
    'set -- --no-defaults --datadir="$PWD" --user="$user" --socket="$PWD/socket" --pid-file="$PWD/pid"',
    'server=$(command -v mariadbd || command -v mysqld)',
    'if command -v mariadb-install-db >/dev/null; then mariadb-install-db --no-defaults --datadir="$PWD" --user="$user" --auth-root-authentication-method=normal >/dev/null; else "$server" --initialize-insecure "$@"; fi',
    '"$server" "$@" --skip-networking &',
    'run() { mysql --no-defaults --socket="$PWD/socket" --user=root "$@"; }',
    'until run -e "" 2>/dev/null; do kill -0 $!; sleep 0.1; done',
    'db=${MYSQL_DATABASE:-${MARIADB_DATABASE:-mysql}}',
    'own=${MYSQL_USER:-${MARIADB_USER:-root}} password=${MYSQL_PASSWORD:-${MARIADB_PASSWORD:-}}',
    '[ "$own" != root ] || password=${MYSQL_ROOT_PASSWORD:-${MARIADB_ROOT_PASSWORD:-}}',
    'run -e "CREATE DATABASE IF NOT EXISTS \\`$db\\`"',
    ...eachFile(files, 'run "$db" <"$file"'),
    // MariaDB has a root@127.0.0.1 without a password, which takes precedence over root@%.
    "run -e \"DROP USER IF EXISTS '$own'@'127.0.0.1'; CREATE USER IF NOT EXISTS '$own'@'%' IDENTIFIED BY '$password'; GRANT ALL ON *.* TO '$own'@'%'; SHUTDOWN\"",
    'wait',
    'exec "$server" "$@" --bind-address="$HOST" --port="$PORT" --skip-name-resolve',
  ].join('\n');
}

/** Image folder with scripts that fill a new database. */
export const SCRIPTS = '/docker-entrypoint-initdb.d';

function eachFile(files: Files, command: string): readonly string[] {
  const paths = Object.entries(files)
    .filter(([target]) => isBelow(`${target}/`, SCRIPTS))
    .map(([target, path]) =>
      /\.\w+$/.test(target.slice(SCRIPTS.length)) ? shellWord(path) : `${shellWord(path.replace(/\/$/, ''))}/*.sql`,
    )
    .filter((path) => /\.sql'?$/.test(path));
  const names = paths.map((path) => `"$root"/${path}`).join(' ');
  return names === '' ? [] : [`for file in ${names}; do ${command}; done`];
}
