import { loadPackageDefinition, Server, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation, protoPath as healthContract } from 'grpc-health-check';

const SERVICE = 'user.v1.UserService';
const LARGEST_ID = 2 ** 31 - 1;

/** A server that answers with users, and the health that it reports. */
export function createServer(users, contracts) {
  const definition = loadSync(['user/v1/user.proto', healthContract], { includeDirs: [contracts], defaults: true });
  const { UserService } = loadPackageDefinition(definition).user.v1;
  const server = new Server({ 'grpc.max_connection_idle_ms': 75_000 });
  server.addService(UserService.service, operations(users));
  const health = new HealthImplementation({ '': 'SERVING', [SERVICE]: 'SERVING' });
  health.addToServer(server);
  new ReflectionService(definition).addToServer(server);
  const stopServing = () => {
    for (const name of ['', SERVICE]) {
      health.setStatus(name, 'NOT_SERVING');
    }
  };
  return { server, stopServing };
}

function operations(users) {
  const byId = new Map(users.map((user) => [user.id, user]));
  return {
    GetUser({ request: { id } }, callback) {
      if (id <= 0) {
        const details = `A user's id is a whole number from 1 to ${LARGEST_ID}.`;
        callback({ code: status.INVALID_ARGUMENT, details });
        return;
      }
      const user = byId.get(id);
      if (user === undefined) {
        callback({ code: status.NOT_FOUND, details: `No user has the id ${id}.` });
        return;
      }
      callback(null, { user });
    },
    ListUsers(_call, callback) {
      callback(null, { users });
    },
  };
}
