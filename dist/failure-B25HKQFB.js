#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{E as a,F as b,G as c,H as d}from"./chunk-2RQTDAQS.js";import"./chunk-YUNRVTJ6.js";import"./chunk-WGBOGN4K.js";import"./chunk-GREHYBQA.js";import"./chunk-5PHLL2CP.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
