#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{F as a,G as b,H as c,I as d}from"./chunk-MGYCDJZX.js";import"./chunk-QGK4XSJF.js";import"./chunk-62WCF4SK.js";import"./chunk-TGOFJ5EB.js";import"./chunk-UXZNNCGB.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
