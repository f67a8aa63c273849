import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseProject } from '../../src/config/parse.ts';
import { exampleFolders } from '../workflow-files.ts';

const FOLDERS = exampleFolders().filter((folder) => existsSync(join(folder, 'wiregauge.yml')));

test('there are examples of services', () => {
  expect(FOLDERS).toContain('examples/node-postgresql');
});

describe.each(FOLDERS)('%s', (root) => {
  const text = readFileSync(join(root, 'wiregauge.yml'), 'utf8');

  test('has a wiregauge.yml that can be read, with a command for each program', () => {
    const { services } = parseProject({ file: 'wiregauge.yml', text }, () => ({}));
    const programs = [...services.values()].flatMap((service) => [service, ...(service.needs ?? [])]);

    expect(programs.filter(({ process }) => process === undefined)).toEqual([]);
    for (const [word = ''] of programs.map(({ process }) => process?.command ?? [])) {
      if (word.startsWith('./')) {
        expect(() => accessSync(join(root, word), constants.X_OK), word).not.toThrow();
      }
    }
  });
});

test('own-service has a suite and a service that Wiregauge reads', () => {
  const root = 'examples/own-service';
  const text = readFileSync(join(root, 'wiregauge.yml'), 'utf8');
  const { suite, services } = parseProject({ file: 'wiregauge.yml', text }, () => ({}));

  expect(readdirSync(join(root, 'services'))).toEqual(suite.services);
  for (const { image, process } of services.values()) {
    const built = image !== undefined && 'context' in image ? image : expect.unreachable('an image that is built');
    expect(existsSync(join(root, built.dockerfile))).toBe(true);
    expect(dirname(built.dockerfile)).toBe(built.context);
    expect(existsSync(join(root, process?.command[1] ?? ''))).toBe(true);
  }
});
