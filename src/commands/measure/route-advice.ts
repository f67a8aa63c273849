import { existsSync } from 'node:fs';
import { type KnownError, knownError, MeasurementError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { scanRepository } from '../../host/files/scan.ts';
import { type WrongPathError, wrongPathIn } from '../../measure/trial/ready.ts';
import type { Service } from '../../model/service.ts';
import { folderOf, pathBelow } from '../init/read/places.ts';
import { type SourceOperations, sourceOperations } from '../init/routes/source-operations.ts';

/** More would hide the rest of the message. */
const MAX_ROUTES = 8;

/** Runs a measurement. If a service returns only 404, the fix begins with the routes in its sources. */
export async function withRouteAdvice<Result>(measure: () => Promise<Result>): Promise<Result> {
  try {
    return await measure();
  } catch (thrown) {
    const next = thrown instanceof MeasurementError ? routesAdvice(thrown) : undefined;
    if (!(thrown instanceof MeasurementError) || next === undefined) {
      throw thrown;
    }
    const { message, code, brief } = thrown;
    throw new MeasurementError(message, { code, cause: thrown, brief, next });
  }
}

/** Fix for a service that returns only 404: the routes of its sources come first. Undefined for any other failure, and without routes. */
export function routesAdvice(failure: KnownError): string | undefined {
  const wrong = wrongPathIn(failure);
  const routes = wrong === undefined ? [] : routesFor(wrong.of);
  return routes.length === 0 ? undefined : `${routeWords(routes)} ${failure.next ?? ''}`.trim();
}

/** Routes in the folder of its image; else those of the whole repository. */
function routesFor({ service, folder }: WrongPathError['of']): readonly string[] {
  // The folder of a version may no longer exist; the working tree is similar.
  const root = folder !== undefined && existsSync(folder) ? folder : process.cwd();
  try {
    const { files } = scanRepository(root);
    const found = sourceFolders(service).map((own) => routesIn(sourceOperations({ folder: own, files })));
    return found.find((routes) => routes.length > 0) ?? [];
  } catch (thrown) {
    // The first failure matters.
    knownError(thrown);
    return [];
  }
}

function sourceFolders({ image }: Service): readonly string[] {
  const paths = image !== undefined && 'context' in image ? [folderOf(image.dockerfile), image.context] : [];
  return [...paths.map((path) => pathBelow('', path) ?? '').filter((path) => path !== ''), ''];
}

function routesIn({ operations, further }: SourceOperations): readonly string[] {
  const requested = operations.flatMap(({ binding }) =>
    'rest' in binding && typeof binding.rest === 'string' ? [binding.rest] : [],
  );
  return [...requested, ...further];
}

/** "The sources have routes for GET /orders, GET /orders/{id} and 3 more." */
function routeWords(routes: readonly string[]): string {
  const shown = routes.slice(0, MAX_ROUTES).map((route) => cleanText(route, 100));
  const more = routes.length > MAX_ROUTES ? ` and ${routes.length - MAX_ROUTES} more` : '';
  return `The sources have routes for ${shown.join(', ')}${more}.`;
}
