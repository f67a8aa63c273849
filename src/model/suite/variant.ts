/** A set of settings that a service is measured with, as a service of its own. */
export interface Variant {
  readonly name: string;
  /** Environment variables, over those of the service. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface VariantOf extends Variant {
  readonly of: string;
}

export function variantName(service: string, variant: string): string {
  return `${service}.${variant}`;
}
