import { composeFile } from '../read/compose.ts';
import { MADE_UP } from '../read/own-settings.ts';
import type { Environment } from './proposal.ts';

const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^(?:postgres(?:ql)?|ecto)$/, 'postgres:17'],
  [/^mysql2?$/, 'mysql:8.4'],
  [/^mariadb$/, 'mariadb:11.8'],
  [/^mongodb$/, 'mongo:8'],
  [/^rediss?$/, 'redis:8'],
  [/^amqps?$/, 'rabbitmq:4'],
  [/^nats$/, 'nats:2.12'],
  [/^memcached$/, 'memcached:1.6'],
];

/** Environment of an image for user, password and name in a URL; undefined if its URLs have no credentials. */
function environmentFor(image: string, user: string, password: string, name: string) {
  const own =
    user === 'root' ? { MYSQL_ROOT_PASSWORD: password } : { MYSQL_USER: user, MYSQL_PASSWORD: password || MADE_UP };
  switch (image.replace(/:.*/, '')) {
    case 'postgres':
      return { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name };
    case 'mysql':
    case 'mariadb':
      return { MYSQL_DATABASE: name, ...own };
    case 'rabbitmq':
      return { RABBITMQ_DEFAULT_USER: user, RABBITMQ_DEFAULT_PASS: password };
    default:
      return undefined;
  }
}

const USERS: Environment = { 'postgres:17': 'postgres', 'mysql:8.4': 'root', 'mariadb:11.8': 'root' };

/** Scheme, driver, credentials, user, password, host, path, name and query of `mongodb+srv://ada:pw@host:1/name?query`. */
const ADDRESS = /^([a-z]+\d?)(\+\w+)?:\/\/(([^\s:@/]*)(?::([^\s@]*))?@)?([\w.-]+)(?::\w+)?(\/([\w.-]*)|)((?:\?\S*)?)$/;

function storeAt(key: string, value: string) {
  const [, scheme = '', driver = '', given, user = '', password = '', host = '', path = '', name = '', query = ''] =
    ADDRESS.exec(value) ?? [];
  const [, image] = IMAGES.find(([pattern]) => pattern.test(scheme)) ?? [];
  if (image === undefined) {
    return [];
  }
  const usual = USERS[image] ?? '';
  const settings = environmentFor(image, user || usual, password, name);
  const credentials = settings === undefined ? '' : user === '' ? usual && `${usual}@` : given;
  const start = `${scheme.replace(/^(redis|amqp)s$/, '$1')}${settings === undefined ? '' : driver}://`;
  const environment = Object.fromEntries(Object.entries(settings ?? {}).filter(([, one]) => one !== ''));
  return [{ key, image, host, value: `${start}${credentials}${host}${path}${query}`, environment }];
}

/**
 * Databases, caches and brokers that an environment has URLs of, as services of a compose file; the first one is a program with those URLs,
 * without credentials that nothing needs. Empty without any.
 */
export function storesNamed(environment: Environment) {
  const found = Object.entries(environment).flatMap(([key, value]) => storeAt(key, value));
  if (found.length === 0) {
    return [];
  }
  const stores = [...new Set(found.map(({ image }) => image))].map((image) => {
    const own = found.filter((one) => one.image === image);
    const aliases = own.map(({ host }) => host);
    return [image.replace(/:.*/, ''), { image, environment: own[0]?.environment, networks: { all: { aliases } } }];
  });
  const program = { environment: Object.fromEntries(found.map(({ key, value }) => [key, value])) };
  const text = JSON.stringify({ services: { '': program, ...Object.fromEntries(stores) } }).replaceAll('$', '$$$$');
  return composeFile([{ path: 'compose.yml', text }], () => false).services.map((one) => {
    const keys = found.filter(({ image }) => image === one.image).map(({ key }) => key);
    const why = `${one.image} is started instead, as the need ${one.name}: change its version if yours is another`;
    const leftOut = [{ name: `${one.hosts[1]} of ${keys.join(', ')}`, why }];
    return keys.length === 0 ? one : { ...one, leftOut };
  });
}
