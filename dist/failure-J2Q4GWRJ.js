#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{E as a,F as b,G as c,H as d}from"./chunk-OS3NQTLW.js";import"./chunk-YUNRVTJ6.js";import"./chunk-6DCUNVF6.js";import"./chunk-VZ2D7QYH.js";import"./chunk-OBIG3MSK.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
