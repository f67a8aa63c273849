import { describe, expect, it } from 'vitest';
import { proposed, type Texts } from '../services/repositories.ts';

const GEMFILE = 'source "https://rubygems.org"\ngem "rails", "~> 8.0"\ngem "puma", ">= 5.0"\n';
const ROUTES = 'Rails.application.routes.draw do\n  resources :articles, only: :index\nend\n';
const INDEX = '<?php\n$app->get("/orders", Orders::class);\n';

function started(texts: Texts) {
  const [{ port, process }] = proposed(texts).proposals;
  return { port: port.number, build: process?.build, command: process?.command.at(-1) };
}

describe('how a program in Ruby is built and started', () => {
  it.each<[string, Texts, ReturnType<typeof started>]>([
    [
      'Rails, next to the package.json of its pages',
      {
        Gemfile: `${GEMFILE}gem "propshaft"\n`,
        'config.ru': 'run Rails.application',
        'config/routes.rb': ROUTES,
        'package.json': '{ "scripts": { "build": "esbuild app" } }',
        'db/schema.rb': 'ActiveRecord::Schema[8.0].define(version: 1) do\nend\n',
      },
      {
        port: 3000,
        build: [
          ['bundle', 'install'],
          ['sh', '-c', 'RAILS_ENV=production SECRET_KEY_BASE=example bundle exec rails assets:precompile'],
        ],
        command: 'bundle exec rails db:prepare && exec bundle exec puma -b "tcp://$HOST:$PORT"',
      },
    ],
    [
      'Rails with another server, in a folder',
      { 'api/Gemfile': 'gem "rails"', 'api/config.ru': '', 'api/config/routes.rb': ROUTES },
      {
        port: 3000,
        build: [['bundle', 'install', '--gemfile', 'api/Gemfile']],
        command: 'cd api && exec bundle exec rails server -b "$HOST" -p "$PORT"',
      },
    ],
    [
      'Rack without a Gemfile',
      { 'config.ru': "require 'sinatra'\nget '/orders' do\nend\nrun Sinatra::Application\n" },
      { port: 9292, build: [], command: 'exec rackup -o "$HOST" -p "$PORT"' },
    ],
    [
      'Sinatra without a config.ru',
      { Gemfile: "gem 'sinatra'\n", 'app.rb': "require 'sinatra'\n\nget '/orders' do\n  'ok'\nend\n" },
      { port: 9292, build: [['bundle', 'install']], command: 'exec bundle exec ruby app.rb -o "$HOST" -p "$PORT"' },
    ],
  ])('%s', (_, texts, expected) => {
    expect(started(texts)).toEqual(expected);
  });

  it('has the settings of Hanami, which has its routes where Rails has them', () => {
    const routes = 'module Shop\n  class Routes < Hanami::Routes\n    get "/books", to: "books.index"\n  end\nend\n';
    const texts = {
      Gemfile: 'gem "hanami", "~> 2.2"\ngem "puma"\n',
      'config.ru': 'run Hanami.app',
      'config/routes.rb': routes,
    };
    const [{ port, environment, process }] = proposed(texts).proposals;

    expect(port.number).toBe(2300);
    expect(environment).toMatchObject({ HANAMI_ENV: 'production' });
    expect(process?.command.at(-1)).toBe('exec bundle exec puma -b "tcp://$HOST:$PORT"');
  });

  it('leaves a Gemfile of tools to what else the folder has', () => {
    const texts = { Gemfile: 'gem "fastlane"', 'package.json': '{ "scripts": { "start": "node x.js" } }' };

    expect(started(texts).command).toBe('x.js');
  });

  it('has settings for production, and the header without which it redirects to HTTPS', () => {
    const texts = {
      Gemfile: GEMFILE,
      'config.ru': '',
      'config/routes.rb': ROUTES,
      'config/environments/production.rb': 'Rails.application.configure do\n  config.force_ssl = true\nend\n',
      Dockerfile: 'FROM ruby:3.4\nWORKDIR /rails\nCOPY . .\nEXPOSE 80\nCMD ["./bin/thrust", "./bin/rails", "server"]\n',
    };
    const [found] = proposed(texts).proposals;

    expect(found).toMatchObject({
      port: { number: 80 },
      environment: { RAILS_ENV: 'production', SECRET_KEY_BASE: 'example' },
      madeUp: ['SECRET_KEY_BASE'],
      headers: { 'X-Forwarded-Proto': 'https' },
      tmpfs: ['/rails/log', '/rails/storage', '/rails/tmp'],
    });
    const withProxy = 'config.force_ssl = true\nconfig.assume_ssl = true\n';
    expect(proposed({ ...texts, 'config/environments/production.rb': withProxy }).proposals[0].headers).toEqual({});
  });

  it('adds settings for production to those of a compose file', () => {
    const [found] = proposed({
      Gemfile: GEMFILE,
      'config.ru': '',
      'config/routes.rb': ROUTES,
      Dockerfile: 'FROM ruby:3.4\nWORKDIR /app\nCOPY . .\n',
      'compose.yml':
        'services:\n  api: { build: ., ports: ["3000:3000"], environment: { DATABASE_URL: "postgres://postgres:x@db:5432/app" } }\n  db: { image: "postgres:17" }\n',
    }).proposals;

    expect(Object.keys(found.environment)).toEqual(['RAILS_ENV', 'SECRET_KEY_BASE', 'DATABASE_URL']);
    expect(found.needs.map(({ name }) => name)).toEqual(['db']);
  });
});

describe('how a program in PHP is built and started', () => {
  it.each<[string, Texts, ReturnType<typeof started>]>([
    [
      'Laravel, next to the package.json of its pages',
      {
        'composer.json': '{ "require": { "php": "^8.2", "laravel/framework": "^12.0" } }',
        'package.json': '{ "scripts": { "build": "vite build", "dev": "vite" }, "devDependencies": { "vite": "^6" } }',
        'public/index.php': '<?php',
        'routes/api.php': "<?php\nRoute::get('/orders', Orders::class);\n",
        'database/migrations/0001_create_orders.php': '<?php',
      },
      {
        port: 8000,
        build: [['env', 'APP_ENV=production', 'composer', 'install', '--no-dev', '--no-interaction']],
        command: 'php artisan migrate --force && exec php -S "$HOST:$PORT" -t public public/index.php',
      },
    ],
    [
      'Slim, in a folder, in the image of Apache',
      {
        'api/composer.json': '{ "require": { "slim/slim": "4.*" } }',
        'api/public/index.php': INDEX,
        'api/Dockerfile': 'FROM php:8.4-apache\nCOPY . /var/www/html\n',
      },
      {
        port: 80,
        build: [['composer', 'install', '--no-dev', '--no-interaction', '--working-dir', 'api']],
        command: 'cd api && exec php -S "$HOST:$PORT" -t public public/index.php',
      },
    ],
    [
      'PHP without packages',
      { 'composer.json': '{ "require": { "php": ">=8.1", "ext-json": "*" } }', 'index.php': INDEX },
      { port: 8000, build: [], command: 'exec php -S "$HOST:$PORT" -t . ./index.php' },
    ],
  ])('%s', (_, texts, expected) => {
    expect(started(texts)).toEqual(expected);
  });

  it('has settings for production in the place of those of an example', () => {
    const { proposals, text } = proposed({
      'composer.json': '{ "require": { "symfony/framework-bundle": "7.*" } }',
      'public/index.php': '<?php',
      'migrations/Version1.php': '<?php',
      '.env': 'APP_ENV=dev\nAPP_SECRET=\nDEFAULT_URI=http://localhost\n',
    });

    expect(proposals[0].environment).toEqual({
      APP_ENV: 'prod',
      APP_DEBUG: '0',
      APP_SECRET: 'example',
      DEFAULT_URI: 'http://localhost',
    });
    expect(proposals[0].process?.command.at(-1)).toMatch(
      /^php bin\/console doctrine:migrations:migrate .* && exec php /,
    );
    expect(text).toContain('Placeholder values for variables that come from elsewhere: APP_SECRET');
  });

  it('finds no program in a library', () => {
    expect(started({ 'composer.json': '{ "autoload": {} }', 'src/Client.php': '<?php' }).command).toBeUndefined();
  });
});

it('starts a release of Phoenix, with the database that it needs', () => {
  const [found] = proposed({
    'mix.exs': 'def project, do: [app: :shop]\ndefp deps, do: [{:phoenix, "~> 1.8"}, {:postgrex, ">= 0.0.0"}]\n',
    'lib/shop_web/router.ex':
      'defmodule ShopWeb.Router do\n  use ShopWeb, :router\n\n  scope "/api" do\n    get "/books", BookController, :index\n  end\nend\n',
    Dockerfile: 'FROM elixir:1.19\nCOPY . .\nCMD ["/app/bin/server"]\n',
  }).proposals;

  expect(found).toMatchObject({
    name: 'shop',
    port: { number: 4000 },
    process: undefined,
    needs: [{ image: 'postgres:17' }],
    environment: {
      PHX_SERVER: 'true',
      DATABASE_URL: 'ecto://postgres:postgres@${needs.postgres.host}:${needs.postgres.port}/postgres',
    },
    madeUp: ['SECRET_KEY_BASE'],
    operations: [{ binding: { rest: 'GET /api/books' } }],
  });
});

it.each([
  ['Gemfile', 'gem "rack-attack"', { 'config.ru': 'run App' }],
  ['routes/api.php', "<?php Route::middleware('throttle:60,1')->get('/a', A::class);", { 'composer.json': '{}' }],
  ['bootstrap/app.php', '<?php $middleware->throttleApi();', { 'composer.json': '{}' }],
])('names the limit of requests in %s', (path, text, others) => {
  const { leftOut } = proposed({ ...others, 'public/index.php': '<?php', [path]: text }).proposals[0];

  expect(leftOut.map(({ name }) => name)).toContain('shop: rate limit');
});
