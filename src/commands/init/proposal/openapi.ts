import { looseDocument, type OpenApiDocument } from '../../../config/openapi/from-openapi-document.ts';
import {
  type DocumentOperation,
  documentOperationName,
  documentOperations,
} from '../../../config/openapi/from-openapi-operations.ts';
import { type DocumentRequest, documentRequest } from '../../../config/openapi/from-openapi-request.ts';
import { credentialsFor } from '../../../config/openapi/from-openapi-security.ts';
import { withOwnNames } from '../../../config/operations/name-from.ts';
import { ConfigError } from '../../../foundation/errors.ts';
import type { RepositoryFile } from '../../../host/files/repository-file.ts';
import { baseName } from './places.ts';
import type { ProposedBinding, ProposedOperation } from './proposal.ts';

/** Whether a file may be an OpenAPI document, by its name. */
export function mayBeOpenApi({ path }: RepositoryFile): boolean {
  return /^[\w.-]*(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)$/i.test(baseName(path));
}

interface Found extends ProposedOperation {
  /** Whether it answers only who shows credentials. */
  readonly isGuarded: boolean;
}

/** The GET operations of an OpenAPI document, with example values for their parameters; those that need no credentials first. */
export function openApiOperations({ path, text }: RepositoryFile): readonly ProposedOperation[] {
  const document = looseDocument({ file: path, text });
  if (document.content['openapi'] === undefined && document.content['swagger'] === undefined) {
    return [];
  }
  const operations = orNothing(() => documentOperations(document)) ?? [];
  const found = operations
    .filter(({ method }) => method === 'GET')
    .flatMap((operation) => orNothing(() => proposed(operation, document)) ?? []);
  const ordered = [...found.filter(({ isGuarded }) => !isGuarded), ...found.filter(({ isGuarded }) => isGuarded)];
  return withOwnNames(ordered.map(({ isGuarded: _, ...operation }) => operation));
}

/** What a document says wrongly is left out here; a configuration that takes it is told why. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return undefined;
    }
    throw thrown;
  }
}

/** None where it must be sent a header: which one is right nobody can guess. */
function proposed(operation: DocumentOperation, document: OpenApiDocument): readonly Found[] {
  const request = documentRequest(operation, document, { asked: new Set(), rest: undefined });
  if (request.parameters.some(({ place, isRequired }) => place === 'header' && isRequired)) {
    return [];
  }
  const [example = {}] = request.examples;
  return [
    {
      name: documentOperationName(operation),
      example: Object.keys(example).length === 0 ? undefined : example,
      binding: bindingOf(request),
      isGuarded: credentialsFor(operation, document).length > 0,
    },
  ];
}

function bindingOf({ path, headers }: DocumentRequest): ProposedBinding {
  return { rest: Object.keys(headers).length === 0 ? `GET ${path}` : { path, headers } };
}
