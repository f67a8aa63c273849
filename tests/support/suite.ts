import { readFileSync } from 'node:fs';
import { parseSuite } from '../../src/config/parse.ts';
import type { Service } from '../../src/model/service.ts';
import { SUCCESS } from '../../src/model/suite/http.ts';
import type { Operation, Suite } from '../../src/model/suite/suite.ts';
import type { RestBinding } from '../../src/protocols/rest/binding.ts';

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

/** How an operation is asked for over REST; undefined if it is not. */
export function restOf(operation: Pick<Operation, 'bindings'> | undefined): RestBinding | undefined {
  return operation?.bindings.rest as RestBinding | undefined;
}
