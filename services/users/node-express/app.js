import { STATUS_CODES } from 'node:http';
import express from 'express';

const ALLOWED = 'GET, HEAD, OPTIONS';
const ID = /^[1-9][0-9]{0,9}$/;
const LARGEST_ID = 2 ** 31 - 1;

/** The application: users as JSON over HTTP. */
export function createApp(users, description) {
  const byId = new Map(users.map((user) => [user.id, user]));
  const app = express();
  app.disable('x-powered-by');
  // REST services have none, except those that are measured with ETags.
  app.disable('etag');
  // One spelling for each path.
  app.enable('strict routing');
  app.enable('case sensitive routing');

  resource(app, '/user/:id', (request, response) => {
    const { id } = request.params;
    if (!ID.test(id) || Number(id) > LARGEST_ID) {
      return problem(response, 400, `A user's id is a whole number from 1 to ${LARGEST_ID}.`);
    }
    const user = byId.get(Number(id));
    return user === undefined ? problem(response, 404, `No user has the id ${id}.`) : response.json(user);
  });
  resource(app, '/users', (_request, response) => response.json({ users }));
  resource(app, '/health', (_request, response) => response.json({ status: 'ok' }));
  resource(app, '/openapi.json', (_request, response) => response.type('json').send(description));

  app.use((_request, response) => problem(response, 404, 'There is nothing here; users are at /users and /user/1.'));
  // The number of parameters shows Express that this one is for errors.
  app.use((error, _request, response, _next) =>
    problem(response, error.status ?? 500, 'The request cannot be answered.'),
  );
  return app;
}

/** GET and HEAD at a path; all else is not allowed. */
function resource(app, path, get) {
  app
    .route(path)
    .get(get)
    .options((_request, response) => response.set('Allow', ALLOWED).end())
    .all((_request, response) => {
      response.set('Allow', ALLOWED);
      problem(response, 405, 'The method is not allowed for the requested URL.');
    });
}

/** Answers with a problem document (RFC 9457). */
function problem(response, status, detail) {
  response
    .status(status)
    .type('application/problem+json')
    .json({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
}
