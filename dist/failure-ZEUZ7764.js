#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{B as a,C as b,D as c,E as d}from"./chunk-U6BP7VUA.js";import"./chunk-CJHVVB3O.js";import"./chunk-6DCUNVF6.js";import"./chunk-NWRRX5MY.js";import"./chunk-OBIG3MSK.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
