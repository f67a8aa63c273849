import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseProject } from '../../src/config/parse.ts';
import { contextFiles } from '../../src/runtime/docker/images/build.ts';
import { exampleFolders } from '../support/workflow-files.ts';

const FOLDERS = exampleFolders().filter((folder) => existsSync(join(folder, 'wiregauge.yml')));

test('there are examples of services', () => {
  expect(FOLDERS).toContain('examples/node-postgresql');
});

describe.each(FOLDERS)('%s', (root) => {
  const text = readFileSync(join(root, 'wiregauge.yml'), 'utf8');
  const { services } = parseProject({ file: 'wiregauge.yml', text });
  const programs = [...services.values()].flatMap((service) => [service, ...(service.needs ?? [])]);

  test('has a wiregauge.yml with a command and an image for each program', () => {
    expect(programs.filter(({ process, image }) => process === undefined || image === undefined)).toEqual([]);
    for (const [word = ''] of programs.map(({ process }) => process?.command ?? [])) {
      if (word.startsWith('./')) {
        expect(() => accessSync(join(root, word), constants.X_OK), word).not.toThrow();
      }
    }
  });

  test('sends its builds all that their Dockerfiles copy, and nothing of what plain processes leave', () => {
    const built = programs.flatMap(({ image }) => (image !== undefined && 'context' in image ? [image] : []));

    for (const { context, dockerfile } of built) {
      const folder = join(root, context);
      const sent = contextFiles(folder, 'Dockerfile');
      const copied = [...readFileSync(join(root, dockerfile), 'utf8').matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
      const names = copied.flatMap(([, sources = '']) => sources.split(' '));
      expect(names.filter((name) => !sent.some((file) => `${file}/`.startsWith(`${name}/`)))).toEqual([]);
      const kept = [...names, 'Dockerfile', '.dockerignore'];
      expect(sent.filter((file) => !kept.some((name) => `${file}/`.startsWith(`${name}/`)))).toEqual([]);
    }
  });

  test('names its schema in the first line, for editors', () => {
    expect(text.split('\n')[0]).toMatch(/^# yaml-language-server: \$schema=https:\/\/\S+$/);
  });
});

test('own-service has a suite and a service that Wiregauge reads', () => {
  const root = 'examples/own-service';
  const text = readFileSync(join(root, 'wiregauge.yml'), 'utf8');
  const { suite, services } = parseProject({ file: 'wiregauge.yml', text });

  expect(readdirSync(join(root, 'services'))).toEqual(suite.services);
  for (const { image, process } of services.values()) {
    const built = image !== undefined && 'context' in image ? image : expect.unreachable('an image that is built');
    expect(existsSync(join(root, built.dockerfile))).toBe(true);
    expect(dirname(built.dockerfile)).toBe(built.context);
    expect(existsSync(join(root, process?.command[1] ?? ''))).toBe(true);
  }
});
