#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a,b,c,d,e,f}from"./chunk-OZU4MD5J.js";import"./chunk-TJD7PSGZ.js";import"./chunk-MWBB44FX.js";import"./chunk-PSV4LBS3.js";import"./chunk-6N6L5HTD.js";export{a as INTERRUPTED,f as abortAfter,d as aborted,b as exitAtSignals,c as interruptible,e as unlessAborted};
