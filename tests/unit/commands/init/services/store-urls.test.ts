import { expect, it } from 'vitest';
import { proposed } from './repositories.ts';

const PACKAGE = JSON.stringify({ scripts: { start: 'node a.js' }, dependencies: { express: '5.0.0' } });

/** The needs, with their environment, and the variables of a service with a file of examples. */
function found(example: string, more: Readonly<Record<string, string>> = {}) {
  const { proposals, project } = proposed({ 'package.json': PACKAGE, '.env.example': example, ...more });
  const [{ needs, environment, leftOut }] = proposals;
  expect(project.services.size).toBe(1);
  return { needs: needs.map((need) => [need.image, need.environment]), environment, leftOut };
}

it.each<[string, string, Readonly<Record<string, string>>, string]>([
  [
    'postgresql://shop:s3cret@localhost:5432/shop_dev?schema=public',
    'postgres:17',
    { POSTGRES_USER: 'shop', POSTGRES_PASSWORD: 's3cret', POSTGRES_DB: 'shop_dev' },
    'postgresql://shop:s3cret@${needs.postgres.host}:${needs.postgres.port}/shop_dev?schema=public',
  ],
  [
    'postgres://db.example.com/shop',
    'postgres:17',
    { POSTGRES_USER: 'postgres', POSTGRES_DB: 'shop', POSTGRES_HOST_AUTH_METHOD: 'trust' },
    'postgres://postgres@${needs.postgres.host}:${needs.postgres.port}/shop',
  ],
  [
    'mysql+pymysql://root:pw@db:3306/shop',
    'mysql:8.4',
    { MYSQL_DATABASE: 'shop', MYSQL_ROOT_PASSWORD: 'pw' },
    'mysql+pymysql://root:pw@${needs.mysql.host}:${needs.mysql.port}/shop',
  ],
  [
    'mariadb://ada:pw@db/shop',
    'mariadb:11.8',
    { MYSQL_DATABASE: 'shop', MYSQL_USER: 'ada', MYSQL_PASSWORD: 'pw', MYSQL_ALLOW_EMPTY_PASSWORD: 'yes' },
    'mariadb://ada:pw@${needs.mariadb.host}:${needs.mariadb.port}/shop',
  ],
  [
    'mongodb+srv://ada:pw@cluster0.abc.mongodb.net/shop?retryWrites=true',
    'mongo:8',
    {},
    'mongodb://${needs.mongo.host}:${needs.mongo.port}/shop?retryWrites=true',
  ],
  ['rediss://:pw@cache.example.com:6380/0', 'redis:8', {}, 'redis://${needs.redis.host}:${needs.redis.port}/0'],
  ['amqp://localhost', 'rabbitmq:4', {}, 'amqp://${needs.rabbitmq.host}:${needs.rabbitmq.port}'],
  ['nats://127.0.0.1:4222', 'nats:2.12', {}, 'nats://${needs.nats.host}:${needs.nats.port}'],
])('starts what %s leads to', (value, image, settings, written) => {
  const { needs, environment, leftOut } = found(`STORE=${value}\n`);

  expect(needs).toEqual([[image, settings]]);
  expect(environment).toEqual({ STORE: written });
  const [{ name = '', why = '' } = {}] = leftOut;
  expect(name).toMatch(/^\S+ of STORE$/);
  expect(why).toContain(`${image} is started instead`);
});

it('starts one store for several variables', () => {
  const { needs, environment } = found('CACHE_URL=redis://localhost:6379/0\nQUEUE_URL=redis://queue:6379/1\n');

  expect(needs).toEqual([['redis:8', {}]]);
  expect(environment).toEqual({
    CACHE_URL: 'redis://${needs.redis.host}:${needs.redis.port}/0',
    QUEUE_URL: 'redis://${needs.redis.host}:${needs.redis.port}/1',
  });
});

it.each([
  ['https://example.com/a', {}],
  ['mongodb://a:1,b:2/shop', {}],
  ['sqlite:///shop.db', {}],
  ['postgres://localhost/shop', { 'compose.yml': 'services: { db: { image: "postgres:16" } }' }],
])('adds no store for %s', (value, more) => {
  const { needs } = found(`STORE=${value}\n`, more);

  expect(needs.map(([image]) => image)).toEqual('compose.yml' in more ? ['postgres:16'] : []);
});
