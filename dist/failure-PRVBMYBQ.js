#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{e as a,f as b,g as c,h as d}from"./chunk-HLWV5OE7.js";import"./chunk-F7K23BSA.js";import"./chunk-ZA3CSF5I.js";import"./chunk-TJD7PSGZ.js";import"./chunk-76XKP2XW.js";import"./chunk-QGK4XSJF.js";import"./chunk-MWBB44FX.js";import"./chunk-PSV4LBS3.js";import"./chunk-6N6L5HTD.js";export{b as failureData,a as reportFailure,d as reportLostOutput,c as withNearOptions};
