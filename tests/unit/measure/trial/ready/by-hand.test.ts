import { expect, test } from 'vitest';
import { startByHand } from '../../../../../src/measure/trial/early-exit.ts';
import type { Service } from '../../../../../src/model/service.ts';
import { restService } from '../../../../support/suite.ts';

const process = { build: [], command: ['sh', '-c', 'cd api && exec ./serve "$PORT"'] };
const image = { context: '.', dockerfile: 'a Dockerfile', target: 'api' };
const built = "docker build --file 'a Dockerfile' --target api ., then docker run --rm with the ID that it prints";

test.each<[string, Partial<Service>, string]>([
  [
    'a process, with its settings, but no placeholders',
    { process, image: undefined, environment: { MODE: 'a b', TOKEN: '${env.TOKEN}' }, port: 8000 },
    `Start it by hand in /shop and check its output: MODE='a b' HOST=127.0.0.1 PORT=8000 sh -c 'cd api && exec ./serve "$PORT"'`,
  ],
  [
    'a process that is built first',
    { process: { build: [['make']], command: ['./serve'] }, image: undefined, port: 0 },
    'Build and start it by hand in /shop and check its output: HOST=127.0.0.1 PORT=8080 ./serve',
  ],
  [
    'an image of others',
    { process: undefined, image: { reference: 'nginx:1.27' }, command: ['nginx', '-g', 'daemon off;'] },
    "Start it by hand in /shop and check its output: docker run --rm nginx:1.27 nginx -g 'daemon off;'",
  ],
  ['an image of its own', { process: undefined, image }, `Start it by hand in /shop and check its output: ${built}`],
  [
    'an image that may be a process, too',
    { process, image },
    `Start it by hand in /shop and check its output: ${built}`,
  ],
])('%s is started by hand with a command that a shell takes as it is', (_what, changes, next) => {
  const service: Service = { ...restService('shop'), ...changes };

  expect(startByHand(service, { inContainer: service.image !== undefined, folder: '/shop' })).toBe(next);
});
