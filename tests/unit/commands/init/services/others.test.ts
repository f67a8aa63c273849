import { expect, test } from 'vitest';
import { servicesWithChosen } from '../../../../../src/commands/init/services/others.ts';
import { proposeServices } from '../../../../../src/commands/init/services/propose.ts';
import { projectText } from '../../../../../src/commands/init/write/project-text.ts';
import { parseProject } from '../../../../../src/config/parse.ts';
import { suiteFor } from '../../../../../src/model/suite/groups.ts';

const START = '"scripts": { "start": "node server.js" }, "dependencies": { "express": "4.21.2" }';

/** A program in a folder that answers at paths, if it does. */
function program(folder: string, ...paths: readonly string[]) {
  const routes = paths.map((path) => `app.get('${path}', (request, response) => response.json([]));\n`).join('');
  const source = `const express = require('express');\nconst app = express();\n${routes}app.listen(process.env.PORT);\n`;
  return [
    { path: `${folder}/package.json`, text: `{ "name": "${folder.replaceAll('/', '-')}", ${START} }` },
    { path: `${folder}/server.js`, text: source },
  ];
}

function initOf(files: ReturnType<typeof program>) {
  const [chosen, ...others] = proposeServices({ name: 'shop', files });
  const { written, leftOut } = servicesWithChosen(chosen, others);
  const text = projectText({ services: [chosen, ...written] });
  return { text, leftOut, suite: parseProject({ file: 'wiregauge.yml', text }).suite };
}

test('every service of a repository is written with its own operations, and read as it is meant', () => {
  const { suite, text } = initOf([...program('orders', '/orders', '/carts'), ...program('users', '/users')]);
  const requested = (service: string) => suiteFor(suite, service).operations.map(({ bindings }) => bindings.rest);

  expect(suite.services).toEqual(['orders', 'users']);
  expect(requested('orders')).toMatchObject([{ path: '/orders' }, { path: '/carts' }]);
  expect(requested('users')).toMatchObject([{ path: '/users' }]);
  expect(text.match(/# Routes found in your code/g)).toHaveLength(2);
});

test('a single service has the operations of the file', () => {
  const { suite, text } = initOf(program('orders', '/orders'));

  expect(suite.groups).toBeUndefined();
  expect(text).toMatch(/^operations:/m);
});

test('what answers nothing, is an example, or starts in another way is left out, with the reason', () => {
  const { suite, leftOut } = initOf([
    { path: 'orders/Dockerfile', text: 'FROM scratch\nEXPOSE 7001\n' },
    ...program('orders', '/orders'),
    { path: 'pages/Dockerfile', text: 'FROM scratch\nEXPOSE 7002\n' },
    ...program('pages', '/pages').slice(1),
    ...program('users', '/users'),
    ...program('worker'),
    ...program('examples/hello', '/hello'),
  ]);

  expect(suite.services).toEqual(['orders', 'pages']);
  expect(Object.fromEntries(leftOut.map(({ name, why }) => [name, why]))).toEqual({
    worker: 'the repository does not show what it answers',
    'examples-hello': 'its folder, examples/hello, does not look like that of a service',
    users: 'it cannot be started in the same way as orders, as a container or a process',
  });
});
