import { ConfigError } from '../foundation/errors.ts';
import { ROUND_PROFILES, type RoundProfile } from './profile.ts';

/** The profile of a comparison by its name; throws ConfigError naming those that there are. */
export function profileNamed(name: string): RoundProfile {
  const profile = ROUND_PROFILES[name];
  if (profile === undefined) {
    throw new ConfigError(`there is no profile "${name}"`, {
      next: `Profiles of a comparison: ${Object.keys(ROUND_PROFILES).join(', ')}.`,
    });
  }
  return profile;
}
