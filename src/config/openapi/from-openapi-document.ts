import { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { contentOf, flawlessContentOf, type LooseMap, mapIn, textIn } from '../yaml/loose.ts';
import { type Path, type Placed, parsePlaced, type SourceText } from '../yaml/yaml.ts';
import { isTooLong, MOST_YAML_CHARACTERS } from '../yaml/yaml-depth.ts';

/** An OpenAPI document, and where things stand in it. */
export interface OpenApiDocument {
  readonly file: string;
  readonly content: LooseMap;
  /** "openapi.yaml:12:5: paths./users.get", for messages. */
  readonly placeOf: (path: Path) => string;
}

/** The OpenAPI document in a text. Throws ConfigError, with line and column, where it is too long, not YAML or JSON, or no OpenAPI 3. */
export function openApiDocument({ file, text }: SourceText): OpenApiDocument {
  if (isTooLong(text)) {
    throw new ConfigError(
      `${file}: has ${text.length} characters, and ${MOST_YAML_CHARACTERS} are the most of a document`,
      {
        next: 'Make a smaller one, of the operations that are measured.',
      },
    );
  }
  const content = flawlessContentOf(text.replace(/^\uFEFF/, ''));
  const placed = once(() => parsePlaced({ file, text }, z.unknown()));
  if (content === undefined) {
    // Slower, and tells what is wrong with it.
    placed();
  }
  const document = { file, content: mapIn(content), placeOf: (path: Path) => placed().placeOf(path) };
  refuseOtherFormats(document);
  return document;
}

/** A document for whoever is content with what can be read of it: an empty one where nothing can. Places in it are not told. */
export function looseDocument({ file, text }: SourceText): OpenApiDocument {
  return { file, content: mapIn(contentOf(text)), placeOf: () => file };
}

/** Where things stand is worked out when something is wrong only. */
function once(read: () => Placed<unknown>): () => Placed<unknown> {
  let found: Placed<unknown> | undefined;
  return () => {
    found ??= read();
    return found;
  };
}

function refuseOtherFormats({ file, content, placeOf }: OpenApiDocument): void {
  if (content['swagger'] !== undefined) {
    throw new ConfigError(`${placeOf(['swagger'])}: is a document of Swagger 2, and only OpenAPI 3 is read`, {
      next: `Convert it, like \`npx swagger2openapi ${file} --outfile openapi.json\`.`,
    });
  }
  const version = textIn(content['openapi']);
  if (version === undefined) {
    throw new ConfigError(`${file}: has no key \`openapi\`, and so is no OpenAPI document`, {
      next: 'Give the path of one: its first key says `openapi: 3.1.0`.',
    });
  }
  if (!/^3(?:\.|$)/.test(version)) {
    throw new ConfigError(`${placeOf(['openapi'])}: is OpenAPI ${version.slice(0, 20)}, and only OpenAPI 3 is read`, {
      next: 'Write it as OpenAPI 3.0 or 3.1.',
    });
  }
}
