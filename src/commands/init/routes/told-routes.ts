import { existsSync } from 'node:fs';
import { cleanText, KnownError, MeasurementError } from '../../../foundation/index.ts';
import { scanRepository } from '../../../host/index.ts';
import { WrongPathError } from '../../../measure/index.ts';
import type { Service } from '../../../model/index.ts';
import { folderOf, pathBelow } from '../proposal/places.ts';
import { type SourceOperations, sourceOperations } from './source-operations.ts';

/** More of them would hide the rest of the message. */
const MOST_ROUTES = 8;

/** Measures. If a service answers nothing but 404, what to do begins with the routes that its sources have. */
export async function tellingRoutes<Result>(measure: () => Promise<Result>): Promise<Result> {
  try {
    return await measure();
  } catch (thrown) {
    throw withRoutes(thrown);
  }
}

function withRoutes(thrown: unknown): unknown {
  const wrong = wrongPathIn(thrown);
  const routes = wrong === undefined ? [] : routesFor(wrong.of);
  if (!(thrown instanceof MeasurementError) || routes.length === 0) {
    return thrown;
  }
  const { message, code, brief, next = '' } = thrown;
  return new MeasurementError(message, { code, cause: thrown, brief, next: `${routeWords(routes)} ${next}`.trim() });
}

/** An error may stand for the same in other words, without secrets or the folders of versions. */
function wrongPathIn(thrown: unknown): WrongPathError | undefined {
  if (thrown instanceof WrongPathError) {
    return thrown;
  }
  return thrown instanceof KnownError ? wrongPathIn(thrown.cause) : undefined;
}

/** Those of the folder that its image is made of; else those of the whole repository. */
function routesFor({ service, folder }: WrongPathError['of']): readonly string[] {
  // The folder of a version is gone by now; the working tree is much like it.
  const root = folder !== undefined && existsSync(folder) ? folder : process.cwd();
  try {
    const { files } = scanRepository(root);
    const found = sourceFolders(service).map((own) => routesIn(sourceOperations({ folder: own, files })));
    return found.find((routes) => routes.length > 0) ?? [];
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      // What went wrong first is what matters.
      return [];
    }
    throw thrown;
  }
}

function sourceFolders({ image }: Service): readonly string[] {
  const paths = image !== undefined && 'context' in image ? [folderOf(image.dockerfile), image.context] : [];
  return [...paths.map((path) => pathBelow('', path) ?? '').filter((path) => path !== ''), ''];
}

function routesIn({ operations, further }: SourceOperations): readonly string[] {
  const asked = operations.flatMap(({ binding }) =>
    'rest' in binding && typeof binding.rest === 'string' ? [binding.rest] : [],
  );
  return [...asked, ...further];
}

/** "The sources have routes for GET /orders, GET /orders/{id} and 3 more." */
function routeWords(routes: readonly string[]): string {
  const shown = routes.slice(0, MOST_ROUTES).map((route) => cleanText(route, 100));
  const more = routes.length > MOST_ROUTES ? ` and ${routes.length - MOST_ROUTES} more` : '';
  return `The sources have routes for ${shown.join(', ')}${more}.`;
}
