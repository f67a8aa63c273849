import { describe, expect, it } from 'vitest';
import { proposed, type Texts } from './repositories.ts';

const SLIM: Texts = {
  'composer.json': '{ "require": { "slim/slim": "4.*" } }',
  'public/index.php': '<?php\n$app->get("/orders", Orders::class);\n',
};
const FPM = 'FROM php:8.4-fpm AS base\nFROM base\nCOPY . .\nEXPOSE 9000\n';

describe('php-fpm, which answers no HTTP', () => {
  it('gives way to the server of PHP', () => {
    const { proposals, text } = proposed({ ...SLIM, Dockerfile: FPM });

    expect(proposals[0]).toMatchObject({
      port: { number: 8000 },
      command: ['php', '-S', '0.0.0.0:8000', '-t', 'public', 'public/index.php'],
      process: { command: ['sh', '-c', 'exec php -S "$HOST:$PORT" -t public public/index.php'] },
    });
    expect(proposals[0].leftOut).toContainEqual({ name: 'php-fpm', why: expect.stringContaining('FastCGI, not HTTP') });
    expect(text).toContain('# As in its command.');
  });

  it.each([
    [
      'nginx in its image',
      'FROM php:8.4-fpm\nRUN apt-get install -y nginx supervisor\nEXPOSE 80\nCMD ["supervisord"]\n',
      80,
    ],
    ['nothing of it', 'FROM php:8.4-cli AS base\nFROM base\nCMD ["php", "-S", "0.0.0.0:8080"]\nEXPOSE 8080\n', 8080],
    ['another stage', 'FROM php:8.4-fpm AS fpm\nFROM dunglas/frankenphp\nEXPOSE 80\n', 80],
  ])('is no reason to change an image with %s', (_, dockerfile, port) => {
    const [{ command, leftOut, ...found }] = proposed({ ...SLIM, Dockerfile: dockerfile }).proposals;

    expect([found.port.number, command, leftOut]).toEqual([port, undefined, []]);
  });

  it('is named where nothing shows what it serves', () => {
    const { leftOut } = proposed({ 'app/Kernel.php': SLIM['public/index.php'] ?? '', Dockerfile: FPM }).proposals[0];

    expect(leftOut).toEqual([{ name: 'php-fpm', why: expect.stringMatching(/set a `command` that answers HTTP/) }]);
  });

  const compose = (fpm: string, server = 'image: "nginx:1.29-alpine"') => `services:
  web:
    ${server}
    ports: ["8080:80"]
    volumes: ["./nginx.conf:/etc/nginx/conf.d/default.conf:ro", ".:/srv"]
  php:
    ${fpm}
    environment: { DB_HOST: db }
    depends_on: [db]
  db: { image: "postgres:17" }
`;

  it('is a member of nginx, which has its routes', () => {
    const texts = { ...SLIM, Dockerfile: FPM, 'nginx.conf': 'fastcgi_pass php:9000;' };
    const { proposals, text, service } = proposed({ ...texts, 'compose.yml': compose('build: .') });

    expect(proposals[0]).toMatchObject({
      name: 'web',
      port: { number: 80, from: 'compose' },
      process: undefined,
      user: '101:101',
      tmpfs: ['/var/cache/nginx', '/run'],
      files: { '/etc/nginx/conf.d/default.conf': 'nginx.conf', '/srv': '.' },
      members: [{ name: 'php', port: 9000, user: '33:33', environment: { DB_HOST: '${needs.db.host}' } }],
      needs: [{ name: 'db' }],
      operations: [{ binding: { rest: 'GET /orders' } }],
    });
    expect(text).toContain('image: nginx:1.29-alpine');
    expect(service?.members?.map(({ name }) => name)).toEqual(['php']);
  });

  it('is a member of nginx with an image of its own', () => {
    const nginx = { 'docker/nginx/Dockerfile': 'FROM nginx:1.29\nCOPY default.conf /etc/nginx/conf.d/\n' };
    const texts = { ...SLIM, ...nginx, 'docker/php/Dockerfile': FPM.replace('fpm', 'fpm-alpine') };
    const built = 'build: { context: ., dockerfile: docker/php/Dockerfile }';
    const [found] = proposed({ ...texts, 'compose.yml': compose(built, 'build: ./docker/nginx') }).proposals;

    expect(found).toMatchObject({
      image: { context: 'docker/nginx' },
      members: [{ name: 'php', user: '82:82' }],
      operations: [{ binding: { rest: 'GET /orders' } }],
    });
  });

  it.each([
    ['another image', { 'compose.yml': compose('image: "php:8.4-fpm"') }],
    ['an image without the sources', { Dockerfile: 'FROM php:8.4-fpm\n', 'compose.yml': compose('build: .') }],
  ])('gives way to a plain process if developers mount the sources into %s', (_, texts) => {
    const { proposals } = proposed({ ...SLIM, ...texts });

    expect(proposals).toHaveLength(1);
    expect(proposals[0]).toMatchObject({
      image: undefined,
      port: { number: 8000 },
      process: { command: ['sh', '-c', 'exec php -S "$HOST:$PORT" -t public public/index.php'] },
      environment: { DB_HOST: '${needs.db.host}' },
      members: [],
    });
    expect(proposals[0].leftOut.map(({ name }) => name)).toEqual(['php-fpm']);
  });
});
