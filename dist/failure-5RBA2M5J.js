#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{j as a,k as b,l as c,m as d}from"./chunk-MFLS4QHI.js";import"./chunk-TQ66GK27.js";import"./chunk-B4KEGXA3.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as tellFailure,d as tellLostOutput,c as withNearOptions};
