import { expect, test } from 'vitest';
import { filled, placeholdersIn } from '../../../src/foundation/placeholders.ts';
import { programEnvironment } from '../../../src/model/service.ts';

test('fills in the names of its family, and leaves everything else unchanged', () => {
  const lookups = { needs: (name: string) => (name === 'db.host' ? 'there' : undefined) };

  expect(filled('${needs.db.host}:${needs.db.port} ${env.A} ${HOME} $needs.db.host {needs.db.host}', lookups)).toBe(
    'there:${needs.db.port} ${env.A} ${HOME} $needs.db.host {needs.db.host}',
  );
});

test('knows no family but those that it is given', () => {
  expect(filled('${constructor.abc}', { env: () => 'x' })).toBe('${constructor.abc}');
});

test('inserts a value unchanged, even if it looks like a placeholder', () => {
  const lookups = { env: () => '$& ${env.B}' };

  expect(filled('<${env.A}>', lookups)).toBe('<$& ${env.B}>');
});

test('lists placeholders, and not the variables of a shell', () => {
  expect(placeholdersIn('${a} ${needs.x.y}${env.B}')).toEqual([
    { text: '${needs.x.y}', family: 'needs', name: 'x.y' },
    { text: '${env.B}', family: 'env', name: 'B' },
  ]);
});

test('gives a program the addresses of its needs, in variables of their names and in its own, which take precedence', () => {
  const environment = { URL: 'tcp://${needs.my-db.host}:${needs.my-db.port}', MY_DB_HOST: 'mine', TOKEN: '${env.T}' };
  const places = [{ name: 'my-db', host: '127.0.0.1', port: 5432 }];

  expect(programEnvironment({ environment }, places, { env: (name) => `secret ${name}` })).toEqual({
    URL: 'tcp://127.0.0.1:5432',
    MY_DB_HOST: 'mine',
    MY_DB_PORT: '5432',
    TOKEN: 'secret T',
  });
});
