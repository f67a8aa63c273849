import type { TargetRequest } from '../model/load.ts';
import type { Service } from '../model/service.ts';
import type { Operation } from '../model/suite.ts';
import { PROTOCOLS } from '../protocols/index.ts';

/** More of one operation are not listed. */
const MOST_REQUESTS = 10;

/**
 * The first requests of an operation as they are sent, by protocol, with what the first service of each adds; secrets stay
 * `${env.NAME}`. Throws ConfigError where one cannot be made.
 */
export function requestsOf(operation: Operation, services: readonly Service[]): Readonly<Record<string, object>> {
  const found = Object.values(PROTOCOLS).flatMap(({ name, target }) => {
    const service = services.find(({ protocol }) => protocol === name);
    if (service === undefined || operation.bindings[name] === undefined) {
      return [];
    }
    const { requests } = target(operation, service, '');
    return [[name, requests.slice(0, MOST_REQUESTS).map(entryOf)] as const];
  });
  return Object.fromEntries(found);
}

/** A request that its first line says all of is that line. */
function entryOf({ call, body, headers = {}, content, metadata, deadlineMs }: TargetRequest): string | object {
  const more = {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content !== undefined && {
      body: 'text' in content ? content.text : `${content.base64.length} characters of base64`,
    }),
    ...(body !== undefined && { message: body }),
    ...(metadata !== undefined && { metadata }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
  return Object.keys(more).length === 0 ? call : { request: call, ...more };
}
