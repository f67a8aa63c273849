import type { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { SUCCESS } from '../core/http.ts';
import type { RestBinding } from '../core/rest-binding.ts';
import { missingArgument } from '../core/rest-request.ts';
import type { Operation } from '../core/suite.ts';
import { feedRows, type Row } from './feed.ts';
import { contentAt, type ReadFile } from './files.ts';
import type { operation } from './operation-schema.ts';
import type { RestSource } from './rest-schema.ts';
import type { Placed } from './yaml.ts';

type Found = z.output<typeof operation>;

/** The file that operations stand in, and what else they need of the repository. */
export interface OperationsPlace {
  readonly placeOf: Placed<unknown>['placeOf'];
  readonly readFile: ReadFile;
}

/** The operations of a suite; throws ConfigError with file and line where one names a file or an argument that there is not. */
export function operationsOf(found: readonly Found[], place: OperationsPlace): readonly Operation[] {
  const weights = found.reduce((sum, { weight }) => sum + weight, 0);
  return found.map(({ rest, grpc, weight, feed, ...others }, index): Operation => {
    const at = (...steps: readonly string[]): string => place.placeOf(['operations', index, ...steps]);
    const rows = feed === undefined ? others.arguments : fed(others.arguments, feed.file, { at, ...place });
    const binding = rest && bindingOf(rest, { at, ...place });
    if (binding !== undefined) {
      refuseMissingArgument(binding, rows, at('rest'));
    }
    return {
      ...others,
      kind: 'unary',
      share: weight / weights,
      arguments: rows,
      bindings: { ...(binding !== undefined && { rest: binding }), ...(grpc !== undefined && { grpc }) },
    };
  });
}

interface OperationPlace {
  readonly at: (...steps: readonly string[]) => string;
  readonly readFile: ReadFile;
}

/** Each row of the feed, with what the arguments add to it. */
function fed(own: readonly Row[], file: string, { at, readFile }: OperationPlace): readonly Row[] {
  const rows = feedRows({ file, text: contentAt(file, at('feed', 'file'), readFile).text });
  return rows.map((row, index) => ({ ...own[index % own.length], ...row }));
}

function bindingOf(source: RestSource, place: OperationPlace): RestBinding {
  const { method, path, headers = {}, body, expect = {} } = source;
  const { status = SUCCESS, contentType, contains } = expect;
  return {
    method,
    path,
    headers,
    body: body?.kind === 'file' ? { ...body, base64: contentOf(body.file, place) } : body,
    expect: { status, contentType, contains },
  };
}

function contentOf(file: string, { at, readFile }: OperationPlace): string {
  return contentAt(file, at('rest', 'body', 'file'), readFile).base64;
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
