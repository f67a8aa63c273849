/** The layers of docs/architecture.md. A broken rule names the layer that may not know the other. */
const pureLibraries = 'node_modules/(zod|hdr-histogram-js|d3-[a-z]+|@types/d3-[a-z]+)/';

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '(^|/)[^/]+\\.config\\.(ts|mjs)$'] },
      to: {},
    },
    { name: 'not-to-test', severity: 'error', from: { path: '^(src|scripts)' }, to: { path: '^tests' } },
    {
      name: 'core-is-pure',
      severity: 'error',
      from: { path: '^src/core' },
      to: { pathNot: ['^src/core', pureLibraries] },
    },
    {
      name: 'plugins-are-pure',
      severity: 'error',
      from: { path: '^src/(protocols|generators|reports)/' },
      to: { pathNot: ['^src/core', '^src/$1/', pureLibraries] },
    },
    {
      name: 'config-is-parsing',
      severity: 'error',
      from: { path: '^src/config' },
      to: { path: ['^src/(app|adapters|reports)', '^node:'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-needs-no-node',
      severity: 'error',
      from: { path: '^src/config' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'adapters-know-no-policy',
      severity: 'error',
      from: { path: '^src/adapters' },
      to: {
        path: '^src/(app/(?!ports\\.ts$|workflow-host\\.ts$|artifacts/ports\\.ts$|comment/ports\\.ts$|history/ports\\.ts$)|reports|generators|protocols|config)',
      },
    },
    {
      name: 'app-uses-ports',
      severity: 'error',
      from: { path: '^src/app' },
      to: { path: ['^src/adapters', '@actions/'] },
    },
    { name: 'app-needs-no-node', severity: 'error', from: { path: '^src/app' }, to: { dependencyTypes: ['core'] } },
    {
      name: 'site-reads-history',
      severity: 'error',
      from: { path: '^site' },
      to: {
        pathNot: [
          '^site',
          '^src/core/(history-store/|(errors|histogram|metric|reading-numbers|sample)\\.ts$)',
          '^src/reports/escape\\.ts$',
          'node_modules/uplot/',
        ],
      },
    },
    {
      name: 'site-model-is-pure',
      severity: 'error',
      from: { path: '^site/model' },
      to: { path: ['^site/(?!model)', 'node_modules/'] },
    },
    {
      name: 'github-stays-outside',
      severity: 'error',
      from: { pathNot: ['^src/action\\.ts$', '^src/adapters', '^tests'] },
      to: { path: '@(actions|octokit)/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
