export interface Variant {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface VariantOf extends Variant {
  readonly of: string;
}

export function variantName(service: string, variant: string): string {
  return `${service}.${variant}`;
}
