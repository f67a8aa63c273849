#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{G as a,H as b,I as c,J as d}from"./chunk-3E3EA53L.js";import"./chunk-QGK4XSJF.js";import"./chunk-YKFTBLXP.js";import"./chunk-MWBB44FX.js";import"./chunk-PSV4LBS3.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
