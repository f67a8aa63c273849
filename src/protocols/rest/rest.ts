import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Reply } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import { SUCCESS } from '../../model/suite/http.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { refuseCut } from '../call.ts';
import { readContract } from '../grpc/contract.ts';
import { callHttp } from '../http/client.ts';
import { plainAnswer, refuseStatus, shortText } from '../http/status.ts';
import { type BindingPlace, boundTo, missingKey, type Protocol, withOperation } from '../protocol.ts';
import { withoutFraming } from '../stream.ts';
import { type RestBinding, type RestExpectation, type RestSource, restSchema } from './binding.ts';
import { missingArgument, refuseMissing, restRequest } from './request.ts';

/** HTTP: a binding is a method, a path, headers and a body whose `{placeholders}` are filled from the arguments. */
export const rest: Protocol<RestSource, RestBinding> = {
  name: 'rest',
  transport: 'http',
  streams: true,
  example: 'rest: GET /user/{id}',
  schema: restSchema,
  bindingOf,
  check: checkMessages,
  call: callHttp,

  target(operation, { headers, connection }, address) {
    const binding = boundTo(operation, rest);
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = operation.arguments.map((values) => requestOf(whole, values));
    return { address, requests, connection, expected: binding.expect.status };
  },

  canonical(reply, operation) {
    refuseUnexpected(reply, boundTo(operation, rest).expect);
    refuseCut(reply, operation);
    const { body, answer, cut } = reply;
    if (body === undefined && answer === undefined) {
      throw new MeasurementError(`answered ${reply.status} without a readable body`, { code: 'WG-307' });
    }
    const whole = body ?? (answer === undefined ? null : plainAnswer(answer));
    return cut === undefined ? withoutFraming(whole, reply, operation) : whole;
  },
};

/** Throws ConfigError if there is no path, or if a file or an argument is missing. */
function bindingOf(
  { method = 'GET', path: target, headers: own = {}, body: source, expect = {}, deadlineMs: limit }: RestSource,
  place: BindingPlace,
): RestBinding {
  if (target === undefined) {
    throw missingKey(place.at('path'));
  }
  const { status: statuses = SUCCESS, contentType, contains, message } = expect;
  const binding = {
    method,
    path: target,
    headers: own,
    body: source?.kind === 'file' ? { ...source, base64: place.contentOf(source.file, 'body', 'file') } : source,
    expect: { status: statuses, contentType, contains, ...(message !== undefined && { message }) },
    ...(limit !== undefined && { deadlineMs: limit }),
  };
  refuseMissing(binding, place);
  return binding;
}

function requestOf(binding: RestBinding, values: Readonly<Record<string, Json>>) {
  const missing = missingArgument(binding, values);
  if (missing !== undefined) {
    throw new ConfigError(`${binding.method} ${binding.path}: an argument has no plain value for {${missing}}`, {
      code: 'WG-114',
      next: 'Add that key to every entry of `arguments`.',
    });
  }
  const { path, headers, content } = restRequest(binding, values);
  const { deadlineMs, expect } = binding;
  return {
    call: `${binding.method} ${path}`,
    body: undefined,
    headers,
    content,
    ...(expect.message !== undefined && { answerMessage: expect.message }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

function refuseUnexpected({ status, answer }: Reply, expect: RestExpectation): void {
  refuseStatus({ status, answer }, expect.status);
  const type = answer?.contentType?.split(';')[0]?.trim().toLowerCase();
  if (expect.contentType !== undefined && type !== expect.contentType.toLowerCase()) {
    throw new MeasurementError(`answered with ${type ?? 'no content type'}; expected: ${expect.contentType}`, {
      code: 'WG-307',
      next: 'Fix the service, or `expect.contentType` of the operation.',
    });
  }
  const text = answer?.text ?? '';
  if (expect.contains !== undefined && !text.includes(expect.contains)) {
    throw new MeasurementError(`the answer does not contain ${JSON.stringify(expect.contains)}: ${shortText(text)}`, {
      code: 'WG-307',
      next: 'Fix the service, or `expect.contains` of the operation.',
    });
  }
}

function checkMessages(service: Service, operations: readonly Operation[]): void {
  const bindings = operations.filter((operation) => operation.bindings.rest !== undefined);
  const messages = bindings.flatMap((operation) => {
    const { message } = boundTo(operation, rest).expect;
    return message === undefined ? [] : [{ operation, message }];
  });
  const [first] = messages;
  if (first !== undefined && service.proto === undefined) {
    throw new ConfigError(`operation ${first.operation.name}: expects a message, but ${service.name} has no contract`, {
      code: 'WG-111',
      next: 'Add `proto: { root: proto, file: user/v1/user.proto }` to the service, with the paths of your contract.',
    });
  }
  const contract = first && readContract(service);
  for (const { operation, message } of messages) {
    withOperation(operation, () => contract?.message(message));
  }
}
