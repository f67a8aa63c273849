/** Where editors find the schema of a `wiregauge.yml`. */
export const SCHEMA_ADDRESS = 'https://raw.githubusercontent.com/wiregauge/wiregauge/v1/schema/wiregauge.schema.json';
