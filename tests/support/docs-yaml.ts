import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { mapAt } from '../../scripts/generated/schema/places.ts';
import { configSchema, type JsonSchema } from '../../scripts/generated/schema/schema.ts';
import { parseFamily } from '../../src/config/families/family.ts';
import { parseProject } from '../../src/config/parse.ts';
import { acceptedSchema } from '../../src/config/schema/policy.ts';
import { isLooseMap } from '../../src/config/yaml/lines.ts';
import { messageOf } from '../../src/foundation/errors.ts';
import type { DocsBlock } from './docs-blocks.ts';
import { actionNames } from './workflow-files.ts';

/** What a block of YAML in a document is. */
type DocsYaml =
  | 'configuration'
  | 'part of one'
  | 'family of services'
  | 'acceptances'
  | 'workflow'
  | 'permissions'
  | 'pipeline';

/** Kind of a block of YAML; throws Error if it would be refused as that. */
export function checkedYaml({ file, text }: DocsBlock): DocsYaml {
  const value: unknown = parse(text);
  if (isLooseMap(value) && ('jobs' in value || 'permissions' in value)) {
    checkSteps(value);
    return 'jobs' in value ? 'workflow' : 'permissions';
  }
  if (Array.isArray(value)) {
    return checkedList(value);
  }
  if (isPipeline(value)) {
    return 'pipeline';
  }
  if (isLooseMap(value) && 'services' in value && 'operations' in value) {
    // Files that it names are not there.
    const readFile = () => ({ text: '-----BEGIN CERTIFICATE-----', base64: '' });
    parseProject({ file: 'wiregauge.yml', text }, { readFile });
    return 'configuration';
  }
  if (isLooseMap(value) && ('matrix' in value || 'templates' in value)) {
    parseFamily({ file, text });
    return 'family of services';
  }
  const complaints = PARTS.map((complaintAs) => complaintAs(value));
  if (!complaints.includes('')) {
    throw new Error(complaints.join('\n'));
  }
  return 'part of one';
}

/** Of GitLab: jobs with a script. What its lines call is checked with the commands of the other blocks. */
function isPipeline(value: unknown): boolean {
  return isLooseMap(value) && Object.values(value).every((job) => isLooseMap(job) && Array.isArray(job['script']));
}

function checkedList(list: readonly unknown[]): DocsYaml {
  if (list.every((one) => isLooseMap(one) && ('uses' in one || 'run' in one))) {
    checkSteps(list);
    return 'workflow';
  }
  acceptedSchema().parse(list);
  return 'acceptances';
}

/** Every step that is ours, however deep, has inputs that there are. */
function checkSteps(value: unknown): void {
  for (const one of [value].flat()) {
    if (isLooseMap(one)) {
      checkStep(one);
      Object.values(one).forEach(checkSteps);
    }
  }
}

function checkStep({ uses, with: given = {} }: Readonly<Record<string, unknown>>): void {
  const inputs = inputsOf(String(uses));
  const unknown =
    inputs === undefined || !isLooseMap(given) ? [] : Object.keys(given).filter((name) => !inputs.includes(name));
  if (unknown.length > 0) {
    throw new Error(`${String(uses)} has no input ${unknown.join(', ')}`);
  }
  const mode = isLooseMap(given) ? given['mode'] : undefined;
  if (inputs !== undefined && mode !== undefined && !actionNames().modes.includes(String(mode))) {
    throw new Error(`there is no mode ${String(mode)}`);
  }
}

const WORKFLOWS = 'wiregauge/wiregauge/.github/workflows/';

function inputsOf(uses: string): readonly string[] | undefined {
  if (uses.startsWith(WORKFLOWS)) {
    const [file = ''] = uses.slice(WORKFLOWS.length).split('@');
    return Object.keys(parse(readFileSync(`.github/workflows/${file}`, 'utf8')).on.workflow_call.inputs);
  }
  return /^wiregauge\/wiregauge@|^\.\/$/.test(uses) ? actionNames().inputs : undefined;
}

/** A part of a file lacks what is elsewhere in it. */
const PARTS = [[], ['services'], ['operations'], ['services', 'needs'], ['policy']].map(partOf);

/** What is wrong with a value as a part of the map at a place; empty if nothing is. */
function partOf(place: readonly string[]): (value: unknown) => string {
  const whole = configSchema();
  const part = { $defs: withoutNeed(whole.$defs), ...withoutNeed(mapAt(whole, place)) };
  const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(part);
  return (value) => {
    validate(value);
    const all = (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath}: ${message} ${JSON.stringify(params)}`;
    });
    return all.join('\n');
  };
}

/** A schema, or many, that asks for no key. */
function withoutNeed(schema: JsonSchema['$defs'] | JsonSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema ?? {}), (key, value) =>
    key === 'required' || key === 'not' ? undefined : value,
  );
}

/** What is wrong with a block; empty if nothing is. */
export function complaintOf(block: DocsBlock): string {
  try {
    checkedYaml(block);
    return '';
  } catch (thrown) {
    return `${block.file}:${block.line}: ${messageOf(thrown)}`;
  }
}
