import { withoutEnvelope } from '../core/canonical.ts';
import { ConfigError, MeasurementError } from '../core/errors.ts';
import type { Protocol } from '../core/protocol.ts';

/** gRPC: a binding is a service and a method; the arguments are the request message. */
export const grpc: Protocol = {
  name: 'grpc',

  target(operation, service, address) {
    const call = operation.bindings.grpc;
    if (call === undefined) {
      throw new ConfigError(`operation ${operation.name} has no \`grpc\` binding`, {
        next: 'Add one to the suite, like `grpc: user.v1.UserService/GetUser`.',
      });
    }
    return { address, requests: operation.arguments.map((body) => ({ call, body })), proto: service.proto };
  },

  canonical({ status, body }) {
    if (status !== 'OK' || body === undefined) {
      throw new MeasurementError(`answered ${status}`);
    }
    return withoutEnvelope(body);
  },
};
