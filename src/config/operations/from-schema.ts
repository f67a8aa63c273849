import { z } from 'zod';
import { path } from '../../foundation/names.ts';

/** Where an operation comes out of. */
export type Origin = DocumentOrigin | ContractOrigin;

/** An OpenAPI document: a file of the repository. */
export interface DocumentOrigin {
  readonly kind: 'document';
  readonly file: string;
}

/** A service of a contract, or one of its methods. */
export interface ContractOrigin {
  readonly kind: 'contract';
  readonly service: string;
  readonly method: string | undefined;
}

const FORMS =
  'must be the path of an OpenAPI document (.json, .yaml, .yml), or a service of the contract, like user.v1.UserService or user.v1.UserService/GetUser';

/** The `from` of an operation. */
export const from = z
  .string()
  .transform((text, context): Origin => {
    const origin = originOf(text);
    if (typeof origin === 'string') {
      context.addIssue({ code: 'custom', message: origin });
      return z.NEVER;
    }
    return origin;
  })
  .describe(
    'An OpenAPI document of the repository, or a service of the contract like `user.v1.UserService`, or one of its methods: says how to ask, with example values. What stands beside it comes first.',
  );

/** A text says why it is none. */
function originOf(text: string): Origin | string {
  if (/^[a-z][a-z+.-]*:\/\//i.test(text)) {
    return 'must be a file of the repository: nothing is fetched from elsewhere';
  }
  if (/\.(?:json|ya?ml)$/.test(text)) {
    return path.safeParse(text).success ? { kind: 'document', file: text } : 'must be a path inside the repository';
  }
  if (text.endsWith('.proto')) {
    return 'must name a service of the contract, like user.v1.UserService; its .proto file is given by `proto` of the service';
  }
  const [, service, method] = /^(\w+(?:\.\w+)*)(?:\/(\w+))?$/.exec(text) ?? [];
  return service === undefined ? FORMS : { kind: 'contract', service, method };
}
