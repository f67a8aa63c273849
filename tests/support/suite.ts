import { readFileSync } from 'node:fs';
import { parseSuite } from '../../src/config/parse.ts';
import type { RestBinding } from '../../src/model/bindings.ts';
import { SUCCESS } from '../../src/model/bindings.ts';
import type { Service } from '../../src/model/service.ts';
import type { Suite } from '../../src/model/suite.ts';

/** The project's own users suite. */
export function usersSuite(): Suite {
  return parseSuite({ file: 'suites/users.yml', text: readFileSync('suites/users.yml', 'utf8') });
}

/** A binding of nothing but a method and a path, like "GET /user/{id}". */
export function restBinding(text: string, changes: Partial<RestBinding> = {}): RestBinding {
  const [method = '', path = ''] = text.split(' ');
  const expect = { status: SUCCESS, contentType: undefined, contains: undefined };
  return { method, path, headers: {}, body: undefined, expect, ...changes };
}

/** A REST service with a name and nothing remarkable. */
export function restService(name: string): Service {
  return {
    name,
    title: name,
    protocol: 'rest',
    image: { context: '.', dockerfile: 'Dockerfile', target: undefined },
    process: { build: [], command: ['false'] },
    port: 5000,
    environment: {},
    proto: undefined,
  };
}
