import { z } from 'zod';
import { SCHEMA_ADDRESS } from '../../../src/config/parse.ts';
import { projectSchema } from '../../../src/config/schema/suite.ts';

/** JSON Schema of one value. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON Schema of `wiregauge.yml`: the input of the schema in the source. */
export function configSchema(): JsonSchema {
  const schema = z.toJSONSchema(projectSchema, { io: 'input', unrepresentable: 'any', reused: 'ref' });
  return { $id: SCHEMA_ADDRESS, title: 'wiregauge.yml', ...schema };
}

/** The same as the text of the published file. */
export function configSchemaText(): string {
  return `${JSON.stringify(configSchema(), null, 2)}\n`;
}
