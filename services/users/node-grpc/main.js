/** The User Service over gRPC with grpc-js. */
import { readFileSync } from 'node:fs';
import { ServerCredentials } from '@grpc/grpc-js';
import { createServer } from './server.js';

const {
  HOST = '127.0.0.1',
  PORT = '50051',
  GRACEFUL_SECONDS = '1',
  USERS_FILE = 'services/users/users.json',
  CONTRACTS = 'proto',
} = process.env;

const { users } = JSON.parse(readFileSync(USERS_FILE, 'utf8'));
const inOrder = users.toSorted((left, right) => left.id - right.id);
const { server, stopServing } = createServer(inOrder, CONTRACTS);

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    stopServing();
    server.tryShutdown(() => undefined);
    setTimeout(() => server.forceShutdown(), Number(GRACEFUL_SECONDS) * 1000).unref();
  });
}

server.bindAsync(`${HOST}:${PORT}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) {
    process.stderr.write(
      `grpc-node: cannot listen on ${HOST}:${PORT}: ${error.message}; choose another HOST or PORT\n`,
    );
    process.exitCode = 2;
  }
});
