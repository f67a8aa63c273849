/** What a comparison adds to the page's style; every colour stands beside a shape or a word. */
export const COMPARE_STYLE = `
@media (min-width: 40rem) { [aria-labelledby="changed"] tbody th { max-width: 17rem; } }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1rem 2rem; margin: 0.25rem 0 0.5rem; }
.intervals svg { max-width: 36rem; }
.interval { fill: none; stroke: var(--own); stroke-width: 2; }
.estimate { fill: var(--own); stroke: var(--page); stroke-width: 1; }
.limit { stroke: var(--faint); stroke-width: 1.5; fill: none; }
.v-regressed { --own: var(--worse); } .v-improved { --own: var(--better); }
.v-accepted, .v-slower { --own: var(--s1); } .v-unchanged { --own: var(--ink); }
.v-inconclusive { --own: var(--faint); }
.estimate.v-inconclusive { fill: var(--page); stroke: var(--own); stroke-width: 1.5; }
`;
