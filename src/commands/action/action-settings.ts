import { ConfigError } from '../../foundation/errors.ts';
import { isArtifactName } from '../../github/host/artifact.ts';

/** What a step does besides measuring. */
export interface ActionSettings {
  readonly uploads: boolean;
  readonly writesCheckRun: boolean;
}

/** Reads them from the inputs, before anything is measured. Throws ConfigError for a value that is none. */
export function actionSettings(inputs: ReadonlyMap<string, string>): ActionSettings {
  const name = inputs.get('artifact');
  if (name !== undefined && !isArtifactName(name)) {
    throw new ConfigError(`the input \`artifact\` is ${JSON.stringify(name)}, which no artifact can be called`, {
      next: 'Use at most 200 characters, and none of " : < > | * ? \\ /.',
    });
  }
  return { uploads: isOn(inputs, 'upload', true), writesCheckRun: isOn(inputs, 'check-run', false) };
}

function isOn(inputs: ReadonlyMap<string, string>, name: string, usual: boolean): boolean {
  const value = inputs.get(name) ?? String(usual);
  if (value !== 'true' && value !== 'false') {
    throw new ConfigError(`the input \`${name}\` is "${value}"`, {
      next: `Write \`with: { ${name}: true }\` or false.`,
    });
  }
  return value === 'true';
}
