import { ConfigError } from '../../../foundation/errors.ts';

/** Build arguments of the Dockerfiles, by name. */
export type BuildArgs = Readonly<Record<string, string>>;

/**
 * The build arguments in the text of WIREGAUGE_BUILD_ARGS, for example "PYTHON_IMAGE=mirror/python:3.13-slim,GO_IMAGE=mirror/golang:1.26":
 * how a machine that reaches no registry, or only a mirror of one, names its base images. Throws ConfigError for any other form.
 */
export function parseBuildArgs(text: string | undefined): BuildArgs {
  const entries = (text ?? '').split(',').filter((entry) => entry.trim() !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.+?)\s*$/.exec(entry) ?? [];
      if (name === undefined || value === undefined) {
        throw new ConfigError(`WIREGAUGE_BUILD_ARGS has an entry ${JSON.stringify(entry)} that is not NAME=value`, {
          next: 'Write it as NAME=value,NAME=value, or leave the variable out.',
        });
      }
      return [name, value];
    }),
  );
}
