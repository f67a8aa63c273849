import { fileURLToPath } from 'node:url';
import { OpenAPIBackend } from 'openapi-backend';

/** A request as it came in. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An operation of GitHub's that a request asks for. */
export interface Operation {
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** What in the request is not as GitHub describes it. */
  readonly mistakes: readonly unknown[];
}

/** GitHub's own description of the part of its API that Wiregauge calls: see scripts/github-api-subset.ts. */
export interface Description {
  /** The operation of a request; undefined if there is none. */
  operation(request: Received): Operation | undefined;
  /** The answer with everything that GitHub describes besides. Throws if it is not as GitHub describes it. */
  whole(operation: string, status: number, answer: unknown): unknown;
}

let opened: Promise<Description> | undefined;

/** Reads the description once for all that a program starts: its validators take as long as a test. */
export function openDescription(): Promise<Description> {
  opened ??= readDescription();
  return opened;
}

async function readDescription(): Promise<Description> {
  const api = new OpenAPIBackend({
    definition: fileURLToPath(new URL('description.json', import.meta.url)),
    quick: true,
    ajvOpts: { strict: false },
    customizeAjv: (ajv) => {
      ajv.addFormat('uri', (text) => URL.canParse(text));
      ajv.addFormat('email', (text) => text.includes('@'));
      ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text));
      return ajv;
    },
  });
  await api.init();
  return {
    operation(received) {
      const { method, path, headers, body } = received;
      const query = Object.fromEntries(received.query);
      const request = { method, path, query, headers, ...(body === undefined ? {} : { body }) };
      const found = api.matchOperation(request);
      if (found?.operationId === undefined) {
        return undefined;
      }
      const { params } = api.router.parseRequest(request, found);
      return {
        id: found.operationId,
        parameters: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
        mistakes: api.validateRequest(request, found).errors ?? [],
      };
    },

    whole(operation, status, answer) {
      const filled = filledIn(api.mockResponseForOperation(operation, { code: status }).mock, answer);
      const { errors } = api.validateResponse(filled, operation, status);
      if (errors) {
        throw new Error(`the answer to ${operation} is not GitHub's: ${JSON.stringify(errors)}`);
      }
      return filled;
    },
  };
}

/** The answer, with what it lacks taken from a sample of the same shape. */
function filledIn(sample: unknown, answer: unknown): unknown {
  if (Array.isArray(answer)) {
    const [first] = Array.isArray(sample) ? sample : [];
    return answer.map((one: unknown) => filledIn(first, one));
  }
  if (!isRecord(answer)) {
    return answer;
  }
  const base = isRecord(sample) ? sample : {};
  const own = Object.entries(answer).map(([key, value]) => [key, filledIn(base[key], value)]);
  return { ...base, ...Object.fromEntries(own) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
