/**
 * Reduces GitHub's own description of its REST API to the methods that Wiregauge calls, for the API of the tests: `npm pack @octokit/openapi@23.0.2`,
 * unpack it, then `tsx scripts/github-api-subset.ts package/generated/api.github.com.json && npm run fix`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Json } from '../src/foundation/json.ts';

const OUTPUT = 'tests/github-api/description.json';

/** Methods that Wiregauge calls. In tests, others are answered with 404. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  '/repos/{owner}/{repo}/issues': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/{issue_number}': ['patch'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch', 'delete'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': ['post'],
  '/repos/{owner}/{repo}/collaborators/{username}/permission': ['get'],
  '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': ['get'],
  '/repos/{owner}/{repo}/actions/runs/{run_id}/rerun': ['post'],
  '/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs': ['post'],
  '/repos/{owner}/{repo}/labels': ['post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/labels': ['get'],
  '/repos/{owner}/{repo}/issues/{issue_number}/events': ['get'],
  '/repos/{owner}/{repo}/check-runs': ['post'],
  '/repos/{owner}/{repo}/check-runs/{check_run_id}': ['patch'],
  '/repos/{owner}/{repo}/commits/{ref}/check-runs': ['get'],
  '/repos/{owner}/{repo}/pulls': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get'],
  '/repos/{owner}/{repo}/contents/{path}': ['get'],
  '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': ['get'],
  '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}': ['get'],
};

const KINDS = ['parameters', 'schemas', 'headers', 'responses', 'requestBodies'] as const;

/** Words for readers, which do not affect validation. */
const WORDS = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs', 'tags', 'x-github']);

/** Parts of responses that Wiregauge reads; the API of the tests returns nothing else. */
const READ = new Set(
  `actor annotations_count app artifacts author_association base body check_runs closed_at conclusion created_at event
  expired external_id full_name head head_branch head_repository head_sha html_url id issue_url label labels login
  message name number output permission pull_request ref repo role_name sha size_in_bytes state state_reason status
  summary title total_count type updated_at user workflow_run workflow_runs`.split(/\s+/),
);

type Tree = { readonly [key: string]: Json };

const tree = z.record(z.string(), z.json());
const descriptionSchema = z.object({
  openapi: z.string(),
  info: z.object({ version: z.string(), license: z.json() }).loose(),
  paths: z.record(z.string(), tree),
  components: z.object(Object.fromEntries(KINDS.map((kind) => [kind, tree.default({})]))),
});
type Description = z.infer<typeof descriptionSchema>;

const [source] = process.argv.slice(2);
if (source === undefined) {
  throw new Error('usage: tsx scripts/github-api-subset.ts <api.github.com.json of @octokit/openapi>');
}
const description = descriptionSchema.parse(JSON.parse(await readFile(source, 'utf8')));
await writeFile(OUTPUT, `${JSON.stringify(subset(description), undefined, 1)}\n`);

function subset(all: Description): Json {
  const paths = Object.fromEntries(
    Object.entries(CALLED).map(([path, methods]) => [path, called(all.paths[path] ?? {}, path, methods)]),
  );
  return {
    openapi: all.openapi,
    info: { title: 'Part of the REST API of GitHub', version: all.info.version, license: all.info.license },
    paths,
    components: reached(all, paths),
  };
}

function called(operations: Tree, path: string, methods: readonly string[]): Tree {
  return Object.fromEntries(
    methods.map((method) => {
      const operation = tree.parse(operations[method], { error: () => `${method} ${path} is not described` });
      const responses = Object.entries(tree.parse(operation['responses'])).filter(([status]) => /^[23]/.test(status));
      const others = tree.parse(withoutWords({ ...operation, responses: {} }));
      return [method, { ...others, responses: read(withoutWords(Object.fromEntries(responses))) }];
    }),
  );
}

/** Named parts that a value refers to, directly or indirectly. */
function reached(all: Description, value: Json): Json {
  const found = new Map<string, Json>();
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [reference, kind = '', name = ''] of JSON.stringify(next).matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)) {
      const whole = withoutWords(all.components[kind]?.[name] ?? {});
      const part = kind === 'schemas' || kind === 'responses' ? read(whole) : whole;
      if (!found.has(reference)) {
        found.set(reference, part);
        open.push(part);
      }
    }
  }
  const ofKind = (kind: string) =>
    [...found].flatMap(([reference, part]) => {
      const [, , of, name = ''] = reference.split('/');
      return of === kind ? [[name, part] as const] : [];
    });
  return Object.fromEntries(KINDS.map((kind) => [kind, Object.fromEntries(ofKind(kind).sort())]));
}

/** Value without unread properties. */
function read(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(read);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const inner = Object.entries(tree.parse(value)).map(([key, one]) => [key, read(one)]);
  const { properties, required, ...others } = tree.parse(Object.fromEntries(inner));
  const named = Object.entries(tree.parse(properties ?? {})).filter(([name]) => READ.has(name));
  const needed = Array.isArray(required) ? required.filter((name) => READ.has(String(name))) : [];
  return {
    ...others,
    ...(properties !== undefined && { properties: Object.fromEntries(named) }),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Value without words, except for the description that every response requires. */
function withoutWords(value: Json, isNames = false): Json {
  if (Array.isArray(value)) {
    return value.map((one: Json) => withoutWords(one));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const plain = isNames ? value : withNullAmong(tree.parse(value));
  const kept = Object.entries(plain).filter(([key]) => isNames || !WORDS.has(key));
  return {
    ...('content' in value && !('schema' in value) && 'description' in value ? { description: '' } : {}),
    ...Object.fromEntries(kept.map(([key, inner]) => [key, withoutWords(inner, !isNames && key === 'properties')])),
    ...(isNames ? {} : withNull(value)),
  };
}

/** A validator accepts "nullable" only next to a type: for a choice, null becomes one of its forms. */
function withNullAmong(schema: Tree): Tree {
  const { nullable, ...others } = schema;
  const key = ['oneOf', 'anyOf'].find((choice) => choice in schema);
  if (nullable !== true || 'type' in schema || key === undefined) {
    return schema;
  }
  return { ...others, [key]: [...z.array(z.json()).parse(schema[key]), { enum: [null] }] };
}

/** GitHub also allows null next to an enumeration; a validator takes the enumeration literally. */
function withNull(schema: object): Tree {
  const { data } = z.object({ nullable: z.literal(true), enum: z.array(z.json()) }).safeParse(schema);
  return data === undefined ? {} : { enum: [...data.enum, null] };
}
