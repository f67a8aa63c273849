import type { ImageSource } from '../../../model/service.ts';
import type { BuildArgs } from './docker-build-args.ts';

/** What an image is built from. */
export interface ImageRequest {
  /** The folder that the paths of the source are relative to. */
  readonly root: string;
  readonly source: ImageSource;
  readonly buildArgs: BuildArgs;
  /** One line for the log. */
  readonly log?: (line: string) => void;
}

/** How a build ended: with an image, or with the last lines that it printed. */
export type BuildEnd =
  | {
      readonly built: true;
      readonly image: string;
      /** A name that the image has for now, where its builder had to give it one. */
      readonly builtAs?: string;
    }
  | { readonly built: false; readonly lastLines: string };

/** What messages call an image. */
export function imageName({ target, context }: ImageSource): string {
  const name = target ?? context.split('/').at(-1) ?? '';
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'service'
  );
}
