import { expect, test } from 'vitest';
import { proposed, type Texts } from '../services/repositories.ts';

const PYTHON = {
  'requirements.txt': 'flask\n',
  'app.py': 'from flask import Flask\napp = Flask(__name__)\n@app.get("/items")\ndef items(): ...\n',
};

const RUN = 'exec env FLASK_APP=app:app python3 -m flask run --host "$HOST" --port "$PORT"';

test.each<[string, Texts, string]>([
  [
    'a script',
    {
      Dockerfile: 'FROM python\nCOPY . .\nENTRYPOINT ["./boot.sh"]\n',
      'boot.sh':
        '#!/bin/sh\nset -e\necho up\nalembic upgrade head\npython seed.py --all\nexec gunicorn -b :5000 app:app\n',
    },
    `alembic upgrade head && python seed.py --all && ${RUN}`,
  ],
  [
    'a script that waits for a database',
    {
      Dockerfile: 'FROM python\nENTRYPOINT ["./boot.sh"]\n',
      'boot.sh': `#!/bin/sh
if [ "$DATABASE" = "postgres" ]
then
  echo "Waiting..."
  while ! nc -z $HOST $PORT; do
    sleep 0.1
  done

  echo "Started"
fi
until pg_isready; do sleep 1; done
python manage.py create_db
exec "$@"
`,
    },
    `python manage.py create_db && ${RUN}`,
  ],
  [
    'a script after the loop in its line',
    {
      Dockerfile: 'FROM python\nENTRYPOINT ["./boot.sh"]\n',
      'boot.sh': 'until nc -z db 5432; do sleep 1; done; flask db upgrade\nexec gunicorn app:app\n',
    },
    `flask db upgrade && ${RUN}`,
  ],
  [
    'a script after the loop and the condition that it joins',
    {
      Dockerfile: 'FROM python\nENTRYPOINT ["./boot.sh"]\n',
      'boot.sh':
        'while ! nc -z db 5432; do sleep 1; done && alembic upgrade head\nif [ "$A" ]; then echo; fi; python seed.py\nexec "$@"\n',
    },
    `alembic upgrade head && python seed.py && ${RUN}`,
  ],
  [
    'a line of a shell',
    { Dockerfile: 'FROM python\nCMD flask db upgrade && gunicorn app:app\n' },
    `flask db upgrade && ${RUN}`,
  ],
  ['its last stage', { Dockerfile: 'FROM a\nCMD flask x && y\nFROM python\nCMD ["gunicorn", "app:app"]\n' }, RUN],
])('a process runs what %s of a Dockerfile runs before the server', (_, texts, line) => {
  expect(proposed({ ...PYTHON, ...texts }).service?.process?.command).toEqual(['sh', '-c', line]);
});

const ALEMBIC = { 'requirements.txt': 'flask\nalembic==1.13\n', 'alembic.ini': '[alembic]\nscript_location = a\n' };

test.each<[string, Texts]>([
  [
    'alembic upgrade head',
    { 'requirements.txt': 'flask\nalembic==1.13\n', 'alembic.ini': '[alembic]\nscript_location = a\n' },
  ],
  ['aerich upgrade', { 'requirements.txt': 'flask\naerich==0.7.2\n', 'pyproject.toml': '[tool.aerich]\n' }],
])('a process and a container make the tables of a new database by %s', (line, texts) => {
  const compose = {
    Dockerfile: 'FROM python',
    'compose.yml': 'services: { web: { build: ., command: gunicorn app:app } }',
  };
  const { service } = proposed({ ...PYTHON, ...compose, ...texts });

  expect(proposed({ ...PYTHON, ...texts }).service?.process?.command).toEqual(['sh', '-c', `${line} && ${RUN}`]);
  expect(service?.command).toEqual(['sh', '-c', `${line} && exec gunicorn app:app`]);
  expect(proposed({ ...PYTHON, ...texts, 'requirements.txt': 'flask\n' }).service?.process?.command.at(-1)).toBe(RUN);
});

test.each<[string, Texts, string]>([
  [
    'not twice, and before what a script does after them',
    {
      Dockerfile: 'FROM python\nENTRYPOINT ["./start.sh"]\n',
      'start.sh': 'alembic upgrade head\npython seed.py\nexec gunicorn app:app\n',
    },
    `alembic upgrade head && python seed.py && ${RUN}`,
  ],
  [
    'before the steps of a script that makes none',
    {
      Dockerfile: 'FROM python\nENTRYPOINT ["./start.sh"]\n',
      'start.sh': 'python seed.py\nexec gunicorn app:app\n',
    },
    `alembic upgrade head && python seed.py && ${RUN}`,
  ],
  [
    'not twice if the Procfile does',
    { Procfile: 'web: alembic upgrade head && gunicorn app:app\n' },
    'alembic upgrade head && gunicorn app:app',
  ],
  [
    'before a server that has its port from a variable',
    { Procfile: 'web: ./serve\n', 'compose.yml': 'services: { web: { build: ., environment: { HTTP_PORT: "80" } } }' },
    'alembic upgrade head && HTTP_PORT="$PORT" exec ./serve',
  ],
])('a process makes the tables %s', (_, texts, line) => {
  expect(proposed({ ...PYTHON, ...ALEMBIC, ...texts }).service?.process?.command).toEqual(['sh', '-c', line]);
});

test('a process makes the tables in the environment of its folder', () => {
  const own = Object.entries({ ...PYTHON, ...ALEMBIC }).map(([path, text]) => [`api/${path}`, text]);

  expect(
    proposed({ ...Object.fromEntries(own), 'web/requirements.txt': 'flask' }).service?.process?.command.at(-1),
  ).toBe(`cd api && export PATH="$PWD/.wiregauge/venv/bin:$PATH" && alembic upgrade head && ${RUN}`);
});

test.each<[string, string, string, readonly string[]]>([
  [
    'with its quotes',
    'FROM python',
    'bash -c "gunicorn app:app"',
    ['sh', '-c', "alembic upgrade head && exec bash -c 'gunicorn app:app'"],
  ],
  [
    'with brackets',
    'FROM python',
    'gunicorn "app:create_app()"',
    ['sh', '-c', "alembic upgrade head && exec gunicorn 'app:create_app()'"],
  ],
  ['unchanged after an entrypoint', 'FROM python\nENTRYPOINT ["gunicorn"]', 'app:app', ['app:app']],
  [
    'unchanged if it makes the tables',
    'FROM python',
    'sh -c "alembic upgrade head && gunicorn app:app"',
    ['sh', '-c', 'alembic upgrade head && gunicorn app:app'],
  ],
])('a container that makes the tables has its command %s', (_, dockerfile, command, expected) => {
  const compose = `services:\n  web:\n    build: .\n    command: ${command}\n`;

  expect(proposed({ ...PYTHON, ...ALEMBIC, Dockerfile: dockerfile, 'compose.yml': compose }).service?.command).toEqual(
    expected,
  );
});

test.each<[string, readonly string[]]>([
  [
    'python manage.py runserver',
    ['sh', '-c', 'python3 manage.py migrate --noinput && exec python manage.py runserver'],
  ],
  [
    'sh -c "python manage.py migrate && python manage.py runserver"',
    ['sh', '-c', 'python manage.py migrate && python manage.py runserver'],
  ],
  [
    'python3 manage.py runserver',
    ['sh', '-c', 'python3 manage.py migrate --noinput && exec python3 manage.py runserver'],
  ],
])('a container of Django makes the tables once: %s', (command, expected) => {
  const { service } = proposed({
    Dockerfile: 'FROM python',
    'requirements.txt': 'django==5.2',
    'manage.py': 'from django.core.management import execute_from_command_line',
    'shop/settings.py': "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3'}}",
    'compose.yml': `services:\n  web:\n    build: .\n    command: ${command}\n`,
  });

  expect(service?.command).toEqual(expected);
});

test.each([
  'if [ -n "$X" ]; then\n  alembic upgrade head\nfi',
  'until python manage.py migrate; do\n echo waiting\n sleep 2\ndone',
  'until npx prisma db push; do sleep 2; done',
  'until bin/rails db:schema:load; do sleep 2; done',
  'until ./migrations.sh; do sleep 2; done',
])('a script with conditions is named: %s', (condition) => {
  const [{ leftOut, process }] = proposed({
    ...PYTHON,
    Dockerfile: 'FROM python\nCMD ["sh", "docker/entrypoint.sh"]\n',
    'docker/entrypoint.sh': `${condition}\nexec gunicorn app:app\n`,
  }).proposals;

  expect(process?.command.at(-1)).toBe(RUN);
  expect(leftOut).toEqual([
    { name: 'what docker/entrypoint.sh runs before the server', why: expect.stringContaining('process.command') },
  ]);
});

test.each<[string, Texts, RegExp]>([
  [
    'a variable of the sources',
    { 'limit.py': 'LIMIT = os.environ.get("RATE_LIMIT", "5 per minute")\n' },
    /^set RATE_LIMIT in/,
  ],
  ['a library', { 'requirements.txt': 'flask\nFlask-Limiter\n' }, /^Flask-Limiter is used/],
])('a rate limit is named: %s', (_, texts, why) => {
  expect(proposed({ ...PYTHON, ...texts }).proposals[0].leftOut).toEqual([
    { name: 'shop: rate limit', why: expect.stringMatching(why) },
  ]);
});
