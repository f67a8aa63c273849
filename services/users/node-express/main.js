/** The User Service over REST with Express. */
import { readFileSync } from 'node:fs';
import { createApp } from './app.js';

const {
  HOST = '127.0.0.1',
  PORT = '5000',
  GRACEFUL_SECONDS = '1',
  USERS_FILE = 'services/users/users.json',
  OPENAPI_FILE = 'services/users/python-rest/src/user_rest/openapi.json',
} = process.env;

const { users } = JSON.parse(readFileSync(USERS_FILE, 'utf8'));
const inOrder = users.toSorted((left, right) => left.id - right.id);

const server = createApp(inOrder, readFileSync(OPENAPI_FILE)).listen(Number(PORT), HOST, (error) => {
  if (error !== undefined) {
    process.stderr.write(
      `rest-express: cannot listen on ${HOST}:${PORT}: ${error.message}; choose another HOST or PORT\n`,
    );
    process.exitCode = 2;
  }
});
// As in the Python and Go services.
server.keepAliveTimeout = 75_000;

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    // Idle connections are closed, and requests in flight answered.
    server.close();
    setTimeout(() => server.closeAllConnections(), Number(GRACEFUL_SECONDS) * 1000).unref();
  });
}
