import { counted } from '../../foundation/numbers.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';
import type { Client } from '../../protocols/client.ts';
import { type Examination, examineQueries } from '../../protocols/graphql/examine.ts';
import { type Diagnosis, ok, problem, warning } from './diagnosis.ts';

/**
 * Diagnoses of queries by the schema that running services return to introspection. A service that would have to be started is skipped: `wiregauge
 * run` starts it, and sends each operation once before it measures.
 */
export async function queryDiagnoses(
  client: Client,
  { suite, services }: Pick<SuiteFiles, 'suite' | 'services'>,
): Promise<readonly Diagnosis[]> {
  const running = [...services.values()].flatMap((service) =>
    service.protocol === 'graphql' && service.address !== undefined ? [{ service, address: service.address }] : [],
  );
  return await Promise.all(
    running.map(async (one) => {
      const operations = operationsFor(suite, one.service.name);
      return diagnosisOf(one.service.name, await examineQueries(client, one, operations));
    }),
  );
}

function diagnosisOf(service: string, examined: Examination): Diagnosis {
  const about = `queries of ${service}`;
  if (examined.kind === 'untold') {
    return warning(
      about,
      `they cannot be checked, because the service does not provide its schema: ${examined.why}`,
      'Enable introspection for measurements. Without it, `wiregauge run` still tries each operation before it measures.',
    );
  }
  const { queries, mistakes } = examined;
  return mistakes.length === 0
    ? ok(about, `${counted(queries, 'operation')} fit the schema of the service`)
    : problem(about, mistakes.join('\n'), 'Fix the queries or their variables: the service would answer with errors.');
}
