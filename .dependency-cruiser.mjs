/**
 * The rules of docs/architecture.md. A broken rule names the folder that must not know the other. Tests look inside of what they like, so they
 * are not read; `npm run check:unused` names those helpers of theirs that nobody imports.
 */

/** Every stage imports those before it only. */
const STAGES = [
  'foundation',
  'model',
  'host',
  'protocols',
  'config',
  'project',
  'runtime',
  'judge',
  'measure',
  'history',
  'report',
  'github',
  'commands',
];

/** Data in, data out: no clock, no randomness, no environment, no files. */
const PURE = [
  'foundation',
  'model',
  'config',
  'judge',
  'measure/samples',
  'measure/knee/(criteria|next-step|record)\\.ts',
  'history/((adapters|change-points|exchange|store)/|feed\\.ts)',
  'report',
];
const PURE_LIBRARIES =
  'node_modules/(zod|hdr-histogram-js|pako|re2js|yaml|protobufjs|csv-parse|fastest-levenshtein|d3-[a-z]+|@types/d3-[a-z]+)/';

/** Modules that other stages, studies, scripts and benchmarks import. */
const NAMED = {
  foundation: '[a-z-]+',
  model: [
    'fields|load|metric|plan|policy|profiles|rounds|runner|sample/[a-z-]+|service',
    'run/(anchor|calibration|calls|comparison|functions|instructions|kept-counts|memory-growth|merge|plant|rounds|run|sample|study|sweep)',
    'secrets/[a-z]+|suite/(factorial|former-names|groups|http|network|published|suite|tier-words)',
  ].join('|'),
  host: [
    'body|browser|child|files/[a-z-]+|git/(checkout|commits|git|repository|worktrees)|locks',
    'machine/(clock|descendants|machine|managed-runtime|orphans|ports|proc|proc-files)|signals|terminal/[a-z]+|webhook|workflow',
  ].join('|'),
  protocols: 'client|graphql/examine|grpc/(binding|contract|methods)|http/headers|protocol|protocols|rest/binding',
  config: [
    'contract/drafts|csv|families/family|mistakes|openapi/(credentials|document|request)|operations/draft|parse|reader',
    'schema/(former-names|metric-names|policy|suite|variants)|secret-uses|yaml/[a-z]+',
  ].join('|'),
  project: '(?!replaced)[a-z-]+',
  runtime: [
    'both|built-program|docker/(engine|images/[a-z]+|needs|runtime|tools)|driver/(driver|relay|source)|ended|kubernetes/(refusal|runtime|settings)|needs|port',
    'process/runtime|ready|tools/(places|release|tools)|valgrind/valgrind',
  ].join('|'),
  judge: [
    'calibration/[a-z-]+|counts/(allocated|counted|figures|functions|memory-growth|need-calls|notes|sizes|soak)|drift/drift',
    'inference/(bisection|counts|detectable|distributions|family-test|interval-over-looks|location)|profiler/growth',
    'reading/(cells|own|tier-comparison)|stored/(bound|candidates|cells|comparison|judge|stored-run)|study/[a-z-]+',
    'verdict/(acceptances|base-policy|compared|coverage|finding|findings|foreign-run|judge|label|losses|note)',
  ].join('|'),
  measure: [
    'instructions/lines|knee/(criteria|record)|plans/(compare|round|soak|try)|samples/(record-file|summary)|trial/(keep|ready)',
    'session/(calibration|comparison|knees|main-job|one-build|runtime|versions/(suites|words))',
  ].join('|'),
  history: [
    'adapters/(adapters|github-action-benchmark|results|units)|alerts/alert-status|anchored|branch/(branch|refusal)|change-points/(change-points|doubts|steps)|exchange/[a-z-]+',
    'feed|folder|plants|publish|reader|repair/(lost|repair|thin)|store/[a-z-]+',
  ].join('|'),
  report: [
    'charts/(files|frame|plot|scales)|comment/(alert-issue|alert-messages|annotations|comment|sections|state|unjudged)',
    'comparison/(document|junit|sentences|view|words)|document|knee/(document|words)|page',
    'render/(html|lines|markdown|markup|terminal)|run/(members|soak)|stored/[a-z-]+|studies|versus/view',
    'views/(about|facts|judgment|notes|run-view|service-comparison)',
  ].join('|'),
  github: 'api/(checks|github)|command|comment|event|issue|host/[a-z-]+',
  commands:
    'action/(action|artifact|inputs)|clean|help/topics|program/(command|failure|help|program)|runs/(report|samples)',
};
const NAMED_MODULES = Object.entries(NAMED).map(([stage, modules]) => `^src/${stage}/(${modules})\\.ts$`);

const inOrder = STAGES.map((stage, place) => ({
  name: `${stage}-knows-no-later-stage`,
  severity: 'error',
  from: { path: `^src/${stage}/` },
  to: {
    path: `^src/(${['cli\\.ts', 'action\\.ts', ...STAGES.slice(place + 1).map((later) => `${later}/`)].join('|')})`,
  },
}));

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '^site/report/page\\.ts$', '(^|/)[^/]+\\.config\\.(ts|mjs)$'] },
      to: {},
    },
    { name: 'not-to-test', severity: 'error', from: { path: '^(src|scripts|bench)' }, to: { path: '^tests' } },
    ...inOrder,
    {
      name: 'by-named-modules',
      comment: 'Of another stage, only the modules above are imported.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', ...NAMED_MODULES] },
    },
    {
      name: 'by-named-modules-from-outside',
      severity: 'error',
      from: { path: '^(scripts|bench|studies|src/(cli|action)\\.ts)' },
      to: { path: '^src/[^/]+/', pathNot: NAMED_MODULES },
    },
    {
      name: 'pure',
      comment: 'A pure folder may name the types of others, but calls nothing that is not pure.',
      severity: 'error',
      from: { path: `^src/(${PURE.join('|')})` },
      to: {
        dependencyTypesNot: ['type-only'],
        pathNot: [`^src/(${PURE.join('|')})`, '^src/protocols/', '^generated/', PURE_LIBRARIES],
      },
    },
    {
      name: 'studies-by-one-door',
      comment: 'The program reaches studies/ where it runs them and where it writes reports, and nowhere else.',
      severity: 'error',
      from: { path: '^(src|site|scripts|bench)/', pathNot: '^src/commands/(runs/report|measure/studies)\\.ts$' },
      to: { path: '^studies/' },
    },
    {
      name: 'studies-are-pure',
      comment: 'Studies are as pure as reports are.',
      severity: 'error',
      from: { path: '^studies/' },
      to: { pathNot: ['^studies/', '^src/(foundation|model|judge|report)/', PURE_LIBRARIES] },
    },
    {
      name: 'site-runs-in-a-browser',
      severity: 'error',
      from: { path: '^site' },
      to: {
        pathNot: ['^site', '^src/(foundation|model|history/(change-points|store))/', 'node_modules/uplot/'],
      },
    },
    {
      name: 'site-model-is-pure',
      severity: 'error',
      from: { path: '^site/model' },
      to: { path: ['^site/(?!model)', 'node_modules/'] },
    },
    {
      name: 'release-needs-no-package',
      comment: 'Nothing is installed beside the token that may publish, and src needs packages.',
      severity: 'error',
      from: { path: '^scripts/release/', pathNot: '/driver\\.ts$' },
      to: { path: ['^src/', 'node_modules/'] },
    },
    {
      name: 'github-stays-outside',
      severity: 'error',
      from: { pathNot: ['^src/action\\.ts$', '^src/github/'] },
      to: { path: '@(actions|octokit)/' },
    },
    {
      name: 'gitlab-stays-outside',
      severity: 'error',
      from: { pathNot: ['^src/commands/pull-request/gitlab-notes\\.ts$'] },
      to: { path: '@gitbeaker/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
