#!/usr/bin/env node
import { createRequire as wiregaugeRequire } from 'node:module';
import { fileURLToPath as wiregaugePath } from 'node:url';
const require = wiregaugeRequire(import.meta.url);
const __filename = wiregaugePath(import.meta.url), __dirname = wiregaugePath(new URL('.', import.meta.url));
import{a,b,c,d,e,f}from"./chunk-3LD3GMUO.js";import"./chunk-62WCF4SK.js";import"./chunk-TGOFJ5EB.js";import"./chunk-UXZNNCGB.js";import"./chunk-6N6L5HTD.js";export{a as INTERRUPTED,f as abortAfter,d as aborted,b as exitAtSignals,c as interruptible,e as unlessAborted};
