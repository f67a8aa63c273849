import { ConfigError, MeasurementError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { type Answer, isExpected, SUCCESS, statusText } from '../../model/http.ts';
import type { Protocol, Reply } from '../../model/protocol.ts';
import type { RestBinding, RestExpectation } from '../../model/rest-binding.ts';
import { beginningOf } from '../../secrets/mask.ts';
import { withoutEnvelope } from '../canonical.ts';
import { refuseCut } from '../cut-answer.ts';
import { missingArgument, restRequest } from './rest-request.ts';

/** HTTP: a binding is a method, a path, headers and a body whose `{placeholders}` are filled from the arguments. */
export const rest: Protocol = {
  name: 'rest',

  target({ name, bindings, arguments: rows }, { headers, connection }, address) {
    const binding = bindings.rest;
    if (binding === undefined) {
      throw new ConfigError(`operation ${name} has no \`rest\` binding`, {
        next: 'Add one to the suite, like `rest: GET /user/{id}`.',
      });
    }
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = rows.map((values) => requestOf(whole, values));
    return { address, requests, proto: undefined, connection, expected: binding.expect.status };
  },

  canonical(reply, operation) {
    const usual = { status: SUCCESS, contentType: undefined, contains: undefined };
    refuseUnexpected(reply, operation.bindings.rest?.expect ?? usual);
    refuseCut(reply, operation);
    const { body, answer } = reply;
    if (body !== undefined) {
      return withoutEnvelope(body);
    }
    if (answer === undefined) {
      throw new MeasurementError(`answered ${reply.status} without a body that could be read`);
    }
    return describe(answer);
  },
};

function requestOf(binding: RestBinding, values: Readonly<Record<string, Json>>) {
  const missing = missingArgument(binding, values);
  if (missing !== undefined) {
    throw new ConfigError(`${binding.method} ${binding.path}: an argument gives no plain value for {${missing}}`, {
      next: 'Give every entry of `arguments` that key.',
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
  if (!isExpected(Number(status), expect.status)) {
    throw unexpectedStatus(status, answer, expect);
  }
  const type = answer?.contentType?.split(';')[0]?.trim().toLowerCase();
  if (expect.contentType !== undefined && type !== expect.contentType.toLowerCase()) {
    throw new MeasurementError(`answered with ${type ?? 'no content type'}, and ${expect.contentType} is expected`, {
      next: 'Mend the service, or `expect.contentType` of the operation.',
    });
  }
  const text = answer?.text ?? '';
  if (expect.contains !== undefined && !text.includes(expect.contains)) {
    throw new MeasurementError(`the answer does not contain ${JSON.stringify(expect.contains)}: ${cut(text)}`, {
      next: 'Mend the service, or `expect.contains` of the operation.',
    });
  }
}

function unexpectedStatus(status: string, answer: Answer | undefined, expect: RestExpectation): MeasurementError {
  const isRedirect = /^3/.test(status) && answer?.location !== undefined;
  const told = isRedirect ? `, a redirect to ${cut(answer.location ?? '')}` : toldBy(answer);
  return new MeasurementError(`answered ${status}${told}; expected: ${statusText(expect.status)}`, {
    next: isRedirect
      ? 'Redirects are not followed: ask for the path that it leads to, or expect it: `expect: { status: 3xx }`.'
      : `Where that is right, say so: \`expect: { status: ${status} }\`; else mend the service, or path, headers and arguments of the operation.`,
  });
}

function toldBy(answer: Answer | undefined): string {
  return answer === undefined || answer.text.trim() === '' ? '' : ` (${cut(answer.text.trim())})`;
}

const LONGEST_TEXT = 200;

/** What is not JSON stands for itself where it is short; else for its length and hash. */
function describe({ text, bytes, sha256 }: Answer): Json {
  return text.length <= LONGEST_TEXT && !text.includes('\uFFFD') ? text : { bytes, sha256 };
}

function cut(text: string): string {
  return beginningOf(text.replace(/\s+/g, ' '), LONGEST_TEXT);
}
