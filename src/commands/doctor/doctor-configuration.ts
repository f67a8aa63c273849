import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../../model/service.ts';
import { withCheckedContracts } from '../../project/contracts.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor } from '../../project/policy.ts';
import { takeSecrets } from '../../project/secrets.ts';
import { readSuite, suiteRoot } from '../../project/suite.ts';
import { type Diagnosis, failedCheck, ok, problem, warning } from './diagnosis.ts';

interface Configuration {
  readonly services: readonly Service[];
  readonly diagnoses: readonly Diagnosis[];
}

const ABOUT = 'configuration';

/** Whether what is to be measured is configured well enough to begin, and its services. */
export function configuration(name: string | undefined): Configuration {
  const root = suiteRoot(process.cwd(), OWN_ROOT);
  if (root === OWN_ROOT && process.cwd() !== OWN_ROOT) {
    return { services: [], diagnoses: [NOTHING_HERE] };
  }
  try {
    const { suite, services, secrets } = withCheckedContracts(readSuite(root, name));
    const all = [...services.values()];
    policyFor(root, suite, undefined);
    const missing = dockerfilesMissing(root, all);
    const names = `${[...services.keys()].join(', ')}: ${suite.operations.map((operation) => operation.name).join(', ')}`;
    takeSecrets(secrets);
    return { services: all, diagnoses: missing.length > 0 ? missing : [ok(ABOUT, names)] };
  } catch (thrown) {
    return { services: [], diagnoses: [failedCheck(ABOUT, thrown)] };
  }
}

const NOTHING_HERE = warning(
  ABOUT,
  'there is neither wiregauge.yml nor suites/*.yml here: the demonstration would be measured',
  '`wiregauge init` writes a wiregauge.yml.',
);

/** An engine would say so only when it builds. */
function dockerfilesMissing(root: string, services: readonly Service[]): readonly Diagnosis[] {
  return services.flatMap(({ name, image, process: plain }) => {
    if (image === undefined || 'reference' in image || existsSync(join(root, image.dockerfile))) {
      return [];
    }
    const next = `Write one, or give ${name} another: \`image: { context: ., dockerfile: path/to/Dockerfile }\`.`;
    const says = `${name}: there is no ${image.dockerfile}`;
    return [
      plain === undefined
        ? problem(ABOUT, says, next)
        : warning(ABOUT, `${says}; it is started as a plain process`, next),
    ];
  });
}
