/** A set of settings that a service is measured with, as a service of its own. */
export interface Variant {
  readonly name: string;
  /** Environment variables, over those of the service. */
  readonly environment: Readonly<Record<string, string>>;
}

/** For a service that is a variant: which one, and of what. */
export interface VariantOf extends Variant {
  /** The name of the service that has the variants. */
  readonly of: string;
}

/** Name of a variant among the services: "rest.sync-1". */
export function variantName(service: string, variant: string): string {
  return `${service}.${variant}`;
}
