import { STATUS_CODES } from 'node:http';
import Fastify from 'fastify';

const ALLOWED = 'GET, HEAD, OPTIONS';
const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY'];
const ID = /^[1-9][0-9]{0,9}$/;
const LARGEST_ID = 2 ** 31 - 1;

// Schemas by which Fastify writes JSON.
const user = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    email: { type: 'string' },
    age: { type: 'integer' },
  },
};
const userList = { type: 'object', properties: { users: { type: 'array', items: user } } };
const health = { type: 'object', properties: { status: { type: 'string' } } };

/** The application: users as JSON over HTTP. */
export function createApp(users, description) {
  const byId = new Map(users.map((one) => [one.id, one]));
  const app = Fastify({
    keepAliveTimeout: 75_000,
    // Requests in flight at the end are answered, and new connections are refused.
    return503OnClosing: false,
    frameworkErrors: refuse,
  });
  // The only one of these that Fastify does not support by default.
  app.addHttpMethod('QUERY');
  app.setErrorHandler(refuse);
  app.setNotFoundHandler(notFound);

  const getUser = (request, reply) => {
    const { id } = request.params;
    if (id === '') {
      return reply.callNotFound();
    }
    if (!ID.test(id) || Number(id) > LARGEST_ID) {
      return problem(reply, 400, `A user's id is a whole number from 1 to ${LARGEST_ID}.`);
    }
    return byId.get(Number(id)) ?? problem(reply, 404, `No user has the id ${id}.`);
  };
  const describe = (_request, reply) => reply.type('application/json').send(description);
  resource(app, '/user/:id', { schema: { 200: user }, handler: getUser });
  resource(app, '/users', { schema: { 200: userList }, handler: async () => ({ users }) });
  resource(app, '/health', { schema: { 200: health }, handler: async () => ({ status: 'ok' }) });
  resource(app, '/openapi.json', { schema: {}, handler: describe });
  return app;
}

/** GET and, as added by Fastify, HEAD at a path; all else is not allowed. */
function resource(app, url, { schema, handler }) {
  app.get(url, { schema: { response: schema } }, handler);
  app.options(url, (_request, reply) => reply.header('Allow', ALLOWED).send());
  // Before a body would be read.
  app.route({ method: OTHER_METHODS, url, onRequest: notAllowed, handler: notAllowed });
}

function notAllowed(_request, reply) {
  problem(reply.header('Allow', ALLOWED), 405, 'The method is not allowed for the requested URL.');
}

function notFound(_request, reply) {
  problem(reply, 404, 'There is nothing here; users are at /users and /user/1.');
}

function refuse(error, _request, reply) {
  problem(reply, error.statusCode ?? 500, 'The request cannot be answered.');
}

/** Answers with a problem document (RFC 9457). */
function problem(reply, status, detail) {
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
}
