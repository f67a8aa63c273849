export { contractCall } from './contract/drafts.ts';
export { type CsvRecord, parseCsv } from './csv.ts';
export { type FamilyService, parseFamily } from './families/family.ts';
export { Mistakes, mistakesIn } from './mistakes.ts';
export { credentialsFor } from './openapi/credentials.ts';
export {
  type DocumentOperation,
  documentOperationName,
  documentOperations,
  looseDocument,
  type OpenApiDocument,
} from './openapi/document.ts';
export { type DocumentRequest, documentRequest } from './openapi/request.ts';
export { nameFrom, withOwnNames } from './operations/draft.ts';
export { parseProject, parseService, parseSuite, parseSuitePolicy, SCHEMA_ADDRESS } from './parse.ts';
export type { ConfigReader, KnownService } from './reader.ts';
export { formerTexts, withoutFormerNames } from './schema/former-names.ts';
export { type KnownMetrics, MEASURED_METRICS, metricHint, metricNamed, SHORT_NAMES } from './schema/metric-names.ts';
export { type GivenDirection, parseAlpha, parsePolicy, parseToolPolicy, policyOf } from './schema/policy.ts';
export { parseSuiteEnvironment, parseVariants, projectSchema } from './schema/suite.ts';
export { parseVariantNames } from './schema/variants.ts';
export { secretUsesIn } from './secret-uses.ts';
export type { SourceText } from './yaml/frame.ts';
export { meantKey } from './yaml/keys.ts';
export { contentOf, type LineOf, linesOf, listIn, mapIn, textIn } from './yaml/lines.ts';
export { parseYaml } from './yaml/yaml.ts';
