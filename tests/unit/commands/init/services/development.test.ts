import { describe, expect, it } from 'vitest';
import { proposed, type Texts } from './repositories.ts';

const NODE: Texts = {
  'package.json': JSON.stringify({
    scripts: { start: 'nodemon app.js', dev: 'nodemon app.js' },
    dependencies: { express: '5.0.0' },
  }),
  'app.js': "app.get('/orders', list);",
};
const DOCKERFILE = 'FROM node:24\nCOPY . .\nCMD ["node", "app.js"]\n';

function found(service: string, more: Texts = {}) {
  const [first] = proposed({
    ...NODE,
    Dockerfile: DOCKERFILE,
    'compose.yml': `services:\n  web:\n    ports: ["3000:3000"]\n${service.replace(/^/gm, '    ')}\n`,
    ...more,
  }).proposals;
  return { ...first, left: first.leftOut.map(({ name, why }) => `${name}: ${why}`) };
}

describe('a compose file for developers', () => {
  it.each([
    ['npm run dev', 'command: npm run dev'],
    ['npm start', 'command: ["npm", "start"]'],
    ['nodemon --inspect app.js', 'command: nodemon --inspect app.js'],
  ])('gives the command of the image the place of %s', (line, service) => {
    const { command, left } = found(`build: .\n${service}`);

    expect(command).toBeUndefined();
    expect(left).toEqual([`command ${line} of web: it is for development: that of the image is started instead`]);
  });

  it('is named where the image has no other command', () => {
    const { command, left } = found('build: .\ncommand: npm run dev', { Dockerfile: 'FROM node:24\nCOPY . .\n' });

    expect(command).toEqual(['npm', 'run', 'dev']);
    expect(left).toEqual([
      'web: production mode: `npm run dev` is for development, and slower than in production: change `command`',
    ]);
  });

  it('gives the stage for production the place of its target', () => {
    const stages =
      'FROM node:24 AS app_dev\nCMD ["npm", "run", "dev"]\nFROM node:24 AS app_prod\nCOPY . .\nCMD ["node", "app.js"]\n';
    const { image, left } = found('build: { context: ., target: app_dev }', { Dockerfile: stages });

    expect(image?.target).toBe('app_prod');
    expect(left).toEqual(['target app_dev of web: it is for development: app_prod is built instead']);
  });

  it('gives variables their values for production, where those are known', () => {
    const { environment, left } = found(
      'build: .\nenvironment: { NODE_ENV: development, DJANGO_SETTINGS_MODULE: a.local, FLASK_DEBUG: true, A: "1" }',
    );

    expect(environment).toEqual({
      NODE_ENV: 'production',
      DJANGO_SETTINGS_MODULE: 'a.local',
      FLASK_DEBUG: '0',
      A: '1',
    });
    expect(left).toEqual([
      'NODE_ENV=development of web: it is for development: NODE_ENV=production is set instead',
      'web: production mode: `DJANGO_SETTINGS_MODULE=a.local` is for development, and slower than in production: set `DJANGO_SETTINGS_MODULE` in `environment`',
      'FLASK_DEBUG=true of web: it is for development: FLASK_DEBUG=0 is set instead',
    ]);
  });

  it('of Laravel gets the settings of production that it lacks', () => {
    const { environment, madeUp } = found('build: .\nenvironment: { APP_ENV: local, APP_DEBUG: "true", DB_HOST: db }', {
      'composer.json': '{ "require": { "laravel/framework": "^12.0" } }',
      'public/index.php': '<?php',
    });

    expect(environment).toMatchObject({ APP_ENV: 'production', APP_DEBUG: 'false', DB_HOST: 'db' });
    expect(madeUp).toEqual(['APP_KEY']);
  });

  const RAILS: Texts = { Gemfile: 'gem "rails"', 'config.ru': '', 'config/routes.rb': 'get "a", to: "b#c"\n' };

  it.each([
    [
      'without RAILS_ENV',
      'DATABASE_URL: "postgres://db/a"',
      'production',
      /^RAILS_ENV=development of web: .* instead$/,
    ],
    [
      'with it',
      'RAILS_ENV: development, DATABASE_URL: "postgres://db/a"',
      'production',
      /^RAILS_ENV=development of web/,
    ],
    ['with settings of its database by modes', 'RAILS_ENV: development', 'development', /^web: production mode: /],
  ])('of Rails, %s', (_, environment, mode, line) => {
    const { environment: written, left } = found(`build: .\nenvironment: { ${environment} }`, RAILS);

    expect(written['RAILS_ENV']).toBe(mode);
    expect(left).toContainEqual(expect.stringMatching(line));
    expect('SECRET_KEY_BASE' in written).toBe(mode === 'production');
  });

  it('of Rails leaves the mode of the image', () => {
    const image = 'FROM ruby:3.4 AS base\nENV A="1" \\\n    RAILS_ENV="production"\nFROM base\nCOPY . .\n';
    const { environment, left } = found('build: .\nenvironment: { A: "2" }', { ...RAILS, Dockerfile: image });

    expect([environment, left]).toEqual([{ A: '2', RAILS_ENV: 'production' }, []]);
  });
});

it('names a Dockerfile for developers, and replaces the mode that it sets', () => {
  const image = 'FROM node:24\nENV NODE_ENV=development\nCOPY . .\nCMD ["npm", "run", "dev"]\n';
  const [{ environment, leftOut, process }] = proposed({ ...NODE, Dockerfile: image }).proposals;

  expect(environment).toEqual({ NODE_ENV: 'production' });
  expect(leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual([
    'NODE_ENV=development of shop: it is for development: NODE_ENV=production is set instead',
    'shop: production mode: `npm run dev` is for development, and slower than in production: change it in the Dockerfile, or set `command`',
  ]);
  expect(process?.command).toEqual(['node', 'app.js']);
});
