import { withoutEnvelope } from '../core/canonical.ts';
import { ConfigError, MeasurementError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Protocol } from '../core/protocol.ts';

/** HTTP with JSON bodies: a binding is a method and a path whose `{placeholders}` are filled from the arguments. */
export const rest: Protocol = {
  name: 'rest',

  target(operation, _service, address) {
    const binding = operation.bindings.rest;
    if (binding === undefined) {
      throw new ConfigError(`operation ${operation.name} has no \`rest\` binding`, {
        next: 'Add one to the suite, like `rest: GET /user/{id}`.',
      });
    }
    const requests = operation.arguments.map((values) => ({ call: filled(binding, values), body: undefined }));
    return { address, requests, proto: undefined };
  },

  canonical({ status, body }) {
    if (!/^2\d\d$/.test(status) || body === undefined) {
      throw new MeasurementError(`answered ${status}${body === undefined ? ' without a JSON body' : ''}`);
    }
    return withoutEnvelope(body);
  },
};

function filled(binding: string, values: Readonly<Record<string, Json>>): string {
  return binding.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined || value === null || typeof value === 'object') {
      throw new ConfigError(`${binding}: an argument gives no plain value for {${name}}`, {
        next: 'Give every entry of `arguments` that key.',
      });
    }
    return encodeURIComponent(String(value));
  });
}
