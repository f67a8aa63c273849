import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';

const folder = currentFolderPerTest();
const printed = catchPrinted();

/** Configuration that is printed for a repository. */
async function planned(texts: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(texts)) {
    folder.write(path, text);
  }
  expect(await runCommandLine(['init', '--no-try', '--dry-run'])).toBe(0);
  const [, text = ''] = /(# yaml-language-server[\s\S]*?\n# {3}thresholds:)/.exec(printed.out) ?? [];
  const { services, operations } = parse(text) as { services: object; operations: readonly object[] };
  return { service: Object.values(services)[0], operations };
}

it('plans an API of Rails', async () => {
  const { service, operations } = await planned({
    Gemfile: 'gem "rails", "~> 8.0"\ngem "sqlite3"\ngem "puma"\ngem "rspec-rails", group: :test\n',
    'config.ru': 'require_relative "config/environment"\nrun Rails.application\n',
    'config/routes.rb':
      'Rails.application.routes.draw do\n  get "up" => "rails/health#show"\n  namespace :api do\n    resources :articles, except: :destroy\n  end\nend\n',
    'app/controllers/api/articles_controller.rb': 'class Api::ArticlesController < ApplicationController\nend\n',
    'db/migrate/20260101000000_create_articles.rb': 'class CreateArticles < ActiveRecord::Migration[8.0]\nend\n',
    'spec/requests/articles_spec.rb': 'get "/api/others" do\nend\n',
  });

  expect(service).toEqual({
    protocol: 'rest',
    port: 3000,
    process: {
      build: [['bundle', 'install']],
      command: ['sh', '-c', 'bundle exec rails db:prepare && exec bundle exec puma -b "tcp://$HOST:$PORT"'],
    },
    environment: { RAILS_ENV: 'production', SECRET_KEY_BASE: 'example' },
  });
  expect(operations).toEqual([{ name: 'Articles', rest: 'GET /api/articles' }]);
});

it('plans an API of Laravel', async () => {
  const { service, operations } = await planned({
    'composer.json': '{ "require": { "php": "^8.2", "laravel/framework": "^12.0" } }',
    'package.json': '{ "private": true, "scripts": { "build": "vite build" }, "devDependencies": { "vite": "^6" } }',
    '.env.example': 'APP_NAME=Shop\nAPP_ENV=local\nAPP_KEY=\nAPP_DEBUG=true\nDB_CONNECTION=sqlite\nCACHE_STORE=file\n',
    'public/index.php': '<?php\n',
    'routes/api.php': "<?php\nRoute::apiResource('books', BookController::class);\n",
    'database/migrations/0001_01_01_000000_create_books_table.php': '<?php\n',
    'tests/Feature/BookTest.php': "<?php\n$app->get('/tested', X::class);\n",
  });

  expect(service).toEqual({
    protocol: 'rest',
    port: 8000,
    process: {
      build: [['env', 'APP_ENV=production', 'composer', 'install', '--no-dev', '--no-interaction']],
      command: ['sh', '-c', 'php artisan migrate --force && exec php -S "$HOST:$PORT" -t public public/index.php'],
    },
    environment: {
      APP_NAME: 'Shop',
      APP_ENV: 'production',
      APP_KEY: 'example-example-example-example-',
      APP_DEBUG: 'false',
      DB_CONNECTION: 'sqlite',
      CACHE_STORE: 'file',
      LOG_CHANNEL: 'stderr',
    },
  });
  expect(operations).toEqual([{ name: 'Books', rest: 'GET /api/books' }]);
});
