import { parseVariants } from '../config/schema/suite.ts';
import type { SourceText } from '../config/yaml/frame.ts';
import type { Service } from '../model/service.ts';
import { variantName } from '../model/suite/variant.ts';
import type { SuiteFiles } from './files.ts';
import { withServicesFor } from './replaced.ts';

/**
 * The variants of services in the place of those that have some, each a service of its own. `source` is the file that names them.
 * Throws ConfigError with file and line for a service that cannot have variants.
 */
export function withVariants(files: SuiteFiles, source: SourceText): SuiteFiles {
  const { variants } = files.suite;
  if (variants === undefined) {
    return files;
  }
  const services = [...files.services.values()].flatMap(parseVariants(source));
  const found = withServicesFor(
    files,
    services,
    (name, as = name) => variants[name]?.map((variant) => variantName(as, variant.name)) ?? [as],
  );
  return { ...found, suite: { ...found.suite, variants: undefined } };
}

/** The services that somebody means by a name: the one of that name, or all variants of it; none if there is no such service. */
export function servicesNamed({ services }: Pick<SuiteFiles, 'services'>, name: string): readonly Service[] {
  const own = services.get(name);
  return own === undefined ? [...services.values()].filter(({ variant }) => variant?.of === name) : [own];
}

/** Which of the services somebody means by the name of it, or of one of its variants; undefined if there is no such service. */
export function serviceOfVariant(name: string, known: readonly string[]): string | undefined {
  return known.includes(name) ? name : known.find((one) => name.startsWith(variantName(one, '')));
}
