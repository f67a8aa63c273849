import { z } from 'zod';
import { SCHEMA_ADDRESS } from '../src/config/schema-address.ts';
import { projectSchema } from '../src/config/suite-schema.ts';

/** The JSON Schema of `wiregauge.yml`, as the file that is published: what the schema in the source takes as its input. */
export function configSchemaText(): string {
  const schema = z.toJSONSchema(projectSchema, { io: 'input', unrepresentable: 'any', reused: 'ref' });
  const whole = { $id: SCHEMA_ADDRESS, title: 'wiregauge.yml', ...schema };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
