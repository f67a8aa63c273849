import { ConfigError } from '../../foundation/errors.ts';
import { SUCCESS } from '../../model/http.ts';
import type { RestBinding } from '../../model/rest-binding.ts';
import type { Operation } from '../../model/suite.ts';
import { missingArgument } from '../../protocols/rest/rest-request.ts';
import { contentAt } from '../files.ts';
import type { Row } from './feed.ts';
import { draftsOf } from './from.ts';
import type { Draft, Entry, FoundOperation, OperationsPlace, RestDraft } from './operation-draft.ts';

/** The operations of a suite; throws ConfigError with file and line where one names a file or an argument that there is not. */
export function operationsOf(found: readonly FoundOperation[], place: OperationsPlace): readonly Operation[] {
  const drafts = draftsOf(found, place);
  const weights = drafts.reduce((sum, { weight }) => sum + weight, 0);
  return drafts.map((draft) => operationOf(draft, weights));
}

function operationOf({ entry, name, verify, weight, rows, rest, grpc }: Draft, weights: number): Operation {
  const binding = rest && bindingOf(rest, entry);
  if (binding !== undefined) {
    refuseMissingArgument(binding, rows, entry.at('rest'));
  }
  return {
    name,
    kind: 'unary',
    share: weight / weights,
    arguments: rows,
    verify,
    bindings: { ...(binding !== undefined && { rest: binding }), ...(grpc !== undefined && { grpc }) },
  };
}

function bindingOf(
  { method, path, headers = {}, body, expect = {}, deadlineMs }: RestDraft,
  entry: Entry,
): RestBinding {
  const { status = SUCCESS, contentType, contains, message } = expect;
  return {
    method,
    path,
    headers,
    body: body?.kind === 'file' ? { ...body, base64: contentOf(body.file, entry) } : body,
    expect: { status, contentType, contains, ...(message !== undefined && { message }) },
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

function contentOf(file: string, { at, place }: Entry): string {
  return contentAt(file, at('rest', 'body', 'file'), place.reading.readFile).base64;
}

function refuseMissingArgument(binding: RestBinding, rows: readonly Row[], place: string): void {
  for (const [index, row] of rows.entries()) {
    const name = missingArgument(binding, row);
    if (name !== undefined) {
      throw new ConfigError(`${place}: item ${index + 1} of the arguments gives no plain value for {${name}}`, {
        next: `Give every item of \`arguments\` or of \`feed\` a ${name}. What is no placeholder belongs in a file: \`body: { file: … }\`.`,
      });
    }
  }
}
