import { join } from 'node:path';
import { expect, test } from 'vitest';
import { routesAdvice, withRouteAdvice } from '../../../../src/commands/measure/route-advice.ts';
import { type ErrorCode, MeasurementError } from '../../../../src/foundation/errors.ts';
import { WrongPathError } from '../../../../src/measure/trial/ready.ts';
import type { ImageSource } from '../../../../src/model/service.ts';
import { currentFolderPerTest } from '../../../support/current-folder.ts';
import { restService } from '../../../support/suite.ts';

const here = currentFolderPerTest();

const ORDERS = "app.get('/orders', list);\napp.get('/stock', list);\napp.get('/orders/:id', one);";

/** The error of a service that answers nothing but 404, built and started in the current folder. */
function wrongPath(image: Partial<ImageSource> = {}): WrongPathError {
  const built = { context: '.', dockerfile: 'Dockerfile', target: undefined, ...image };
  return new WrongPathError('shop: is up', { service: { ...restService('shop'), image: built }, folder: here.root });
}

/** What a measurement that ends in an error throws at last. */
async function thrownFor(error: unknown): Promise<unknown> {
  return await withRouteAdvice(() => Promise.reject(error)).catch((thrown: unknown) => thrown);
}

async function outcomeText(error: unknown): Promise<{ message: string; code: ErrorCode; routes: string | undefined }> {
  const reported = await thrownFor(error);
  if (!(reported instanceof MeasurementError)) {
    return expect.unreachable();
  }
  const { message, code, next } = reported;
  return {
    message,
    code,
    routes: /^(The sources have .*?\.) Correct the path of the operation: /.exec(next ?? '')?.[1],
  };
}

test('the routes of the sources stand before what else to do', async () => {
  here.write('app.js', ORDERS);

  expect(await outcomeText(wrongPath())).toEqual({
    message: 'shop: is up',
    code: 'WG-307',
    routes: 'The sources have routes for GET /orders, GET /stock, GET /orders/{id}.',
  });
});

test('an error in other words has them, too', async () => {
  here.write('app.js', ORDERS);
  const error = wrongPath();

  expect(await outcomeText(new MeasurementError('shop: is …', { cause: error, next: error.next ?? '' }))).toEqual({
    message: 'shop: is …',
    code: 'WG-307',
    routes: 'The sources have routes for GET /orders, GET /stock, GET /orders/{id}.',
  });
});

test('of many routes there are eight, and how many more there are', async () => {
  const paths = Array.from({ length: 11 }, (_, index) => `/list${index}`);
  here.write('app.js', paths.map((path) => `app.get('${path}', list);`).join('\n'));

  expect((await outcomeText(wrongPath())).routes).toBe(
    `The sources have routes for ${paths
      .slice(0, 8)
      .map((path) => `GET ${path}`)
      .join(', ')} and 3 more.`,
  );
});

test.each<[string, Partial<ImageSource>, string]>([
  ['of its Dockerfile', { dockerfile: 'orders/Dockerfile' }, 'GET /orders'],
  ['of its build context', { context: './users', dockerfile: 'docker/Dockerfile' }, 'GET /users'],
  ['of the repository, if those have no routes', { context: './pages' }, 'GET /orders, GET /users'],
])('they are those %s', async (_what, image, routes) => {
  here.write('orders/app.js', "app.get('/orders', list);");
  here.write('users/app.js', "app.get('/users', list);");
  here.write('pages/app.js', 'app.use(pages);');

  expect((await outcomeText(wrongPath(image))).routes).toBe(`The sources have routes for ${routes}.`);
});

test.each([
  ['was not started from here', undefined],
  ['lay in a folder that is gone', '/nowhere/base'],
])('they are those of the current folder if the service %s', async (_what, folder) => {
  here.write('app.js', ORDERS);
  const { service } = wrongPath().of;

  expect((await outcomeText(new WrongPathError('shop: is up', { service, folder }))).routes).toContain('GET /orders');
});

test('of a version they are those of its own checkout, as long as that is there', () => {
  here.write('base/app.js', "app.get('/order', list);");
  here.write('head/app.js', "app.get('/orders', list);");
  const { service } = wrongPath().of;
  const adviceOf = (version: string) =>
    routesAdvice(new WrongPathError('shop: is up', { service, folder: join(here.root, version) }));

  expect(adviceOf('base')).toMatch(/^The sources have routes for GET \/order\. Correct the path of the operation: /);
  expect(adviceOf('head')).toMatch(/^The sources have routes for GET \/orders\. Correct /);
  expect(routesAdvice(new MeasurementError('shop: not ready'))).toBeUndefined();
});

test('without routes the error stays as it is, and so does any other', async () => {
  const other = new MeasurementError('shop: not ready', { code: 'WG-302' });
  const error = wrongPath();

  expect(await thrownFor(error)).toBe(error);
  here.write('app.js', ORDERS);
  expect(await thrownFor(other)).toBe(other);
  expect(await thrownFor('gone')).toBe('gone');
});

test('a long route is shortened', async () => {
  here.write('app.js', `app.get('${'/list'.repeat(40)}', list);`);

  expect((await outcomeText(wrongPath())).routes).toBe(`The sources have routes for GET ${'/list'.repeat(19)}….`);
});
